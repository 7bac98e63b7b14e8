/* Lines of text from whoever steers the rig, over stdin and stdout or a socket; one at a time. */
#ifndef DICETOWER_CONTROL_H
#define DICETOWER_CONTROL_H

#include <stdbool.h>

struct control {
    int listener; /* -1 for stdin */
    int in, out;  /* -1 while nobody is there */
    char held[8192];
    unsigned len;
    bool ended; /* stdin is at its end */
};

/* `where`: "-" for stdin and stdout, or the path of a socket to make. 0, or -1 with errno. */
int control_open(struct control *control, const char *where);
void control_close(struct control *control, const char *where);

/* The descriptor to wait on. */
int control_wait_on(const struct control *control);

/* Take what is there; call when it is readable. */
void control_read(struct control *control);

/* The next whole line without its end, or NULL. Valid until the next call. */
char *control_line(struct control *control);

/* Answer with formatted text; the line end is added. */
void control_say(struct control *control, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
