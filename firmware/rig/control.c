#define _DEFAULT_SOURCE
#include "control.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 4) != 0)
        return -1;
    return fd;
}

int control_open(struct control *control, const char *where)
{
    memset(control, 0, sizeof *control);
    control->listener = control->in = control->out = -1;
    if (where == NULL)
        return 0;
    if (strcmp(where, "-") == 0) {
        control->in = 0;
        control->out = 1;
        return 0;
    }
    control->listener = listen_at(where);
    return control->listener < 0 ? -1 : 0;
}

static void hang_up(struct control *control)
{
    if (control->listener < 0) {
        control->ended = true;
        control->in = -1;
        return;
    }
    close(control->in);
    control->in = control->out = -1;
    control->len = 0;
}

void control_close(struct control *control, const char *where)
{
    if (control->listener < 0)
        return;
    if (control->in >= 0)
        hang_up(control);
    close(control->listener);
    unlink(where);
}

int control_wait_on(const struct control *control)
{
    return control->in >= 0 ? control->in : control->listener;
}

void control_read(struct control *control)
{
    if (control->in < 0) {
        control->in = control->out = accept(control->listener, NULL, NULL);
        return;
    }
    ssize_t got = read(control->in, control->held + control->len, sizeof control->held - 1 - control->len);
    if (got <= 0) {
        hang_up(control);
        return;
    }
    control->len += (unsigned)got;
    if (control->len == sizeof control->held - 1)
        control->len = 0; /* no command is that long */
}

char *control_line(struct control *control)
{
    static char line[sizeof control->held];
    char *end = memchr(control->held, '\n', control->len);
    if (end == NULL)
        return NULL;
    unsigned len = (unsigned)(end - control->held);
    memcpy(line, control->held, len);
    line[len] = '\0';
    control->len -= len + 1;
    memmove(control->held, end + 1, control->len);
    return line;
}

static void write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t wrote = write(fd, text, len);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return;
        text += wrote;
        len -= (size_t)wrote;
    }
}

void control_say(struct control *control, const char *format, ...)
{
    static char text[2 * 65536 + 256];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    if (control->out < 0 || len < 0)
        return;
    if ((size_t)len > sizeof text - 2)
        len = (int)sizeof text - 2;
    text[len] = '\n';
    write_all(control->out, text, (size_t)len + 1);
}
