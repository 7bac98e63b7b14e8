#define _DEFAULT_SOURCE
#include "terminal.h"

#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Point `link` at the pty in one step, so that a reader never finds it missing. */
static int point(const char *link, const char *name)
{
    char fresh[512];
    snprintf(fresh, sizeof fresh, "%s.new", link);
    unlink(fresh);
    return symlink(name, fresh) == 0 && rename(fresh, link) == 0 ? 0 : -1;
}

int terminal_open(struct terminal *terminal, const char *link)
{
    struct termios raw;
    memset(&raw, 0, sizeof raw);
    cfmakeraw(&raw);
    raw.c_cflag |= CREAD | CLOCAL;
    cfsetspeed(&raw, B115200);
    if (openpty(&terminal->master, &terminal->slave, terminal->name, &raw, NULL) != 0)
        return -1;
    fcntl(terminal->master, F_SETFL, O_NONBLOCK);
    return link ? point(link, terminal->name) : 0;
}

void terminal_close(struct terminal *terminal, const char *link)
{
    if (terminal->master >= 0) {
        close(terminal->slave);
        close(terminal->master);
    }
    terminal->master = terminal->slave = -1;
    if (link)
        unlink(link);
}
