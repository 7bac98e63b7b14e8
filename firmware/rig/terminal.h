/* The pty that stands for the USB serial adapter. */
#ifndef DICETOWER_TERMINAL_H
#define DICETOWER_TERMINAL_H

#include <stddef.h>

struct terminal {
    int master, slave; /* -1 while unplugged; our own slave keeps the master alive while nobody has it open */
    char name[64];
};

/* Plug in: a new pty, raw, perhaps under another name; `link`, where given, is made to lead to it. 0, or -1 with errno. */
int terminal_open(struct terminal *terminal, const char *link);

/* Unplug: whoever has it open gets an error. */
void terminal_close(struct terminal *terminal, const char *link);

#endif
