/* Checks for the core's own tests: a failed one says where and what, and the program ends with 1. */
#ifndef DICETOWER_CHECK_H
#define DICETOWER_CHECK_H

#include <stdio.h>

static int check_failures;
static int check_count;

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        check_count++;                                                                       \
        if (!(condition)) {                                                                  \
            check_failures++;                                                                \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition); \
        }                                                                                    \
    } while (0)

#define CHECK_EQ(got, expected)                                                                          \
    do {                                                                                                 \
        long long got_ = (long long)(got), expected_ = (long long)(expected);                            \
        check_count++;                                                                                   \
        if (got_ != expected_) {                                                                         \
            check_failures++;                                                                            \
            fprintf(stderr, "%s:%d: %s: %s: expected %lld, got %lld\n", __FILE__, __LINE__, __func__, #got, \
                    expected_, got_);                                                                    \
        }                                                                                                \
    } while (0)

static int check_end(const char *name)
{
    printf("%s: %d checks, %d failed\n", name, check_count, check_failures);
    return check_failures != 0 || check_count == 0;
}

#endif
