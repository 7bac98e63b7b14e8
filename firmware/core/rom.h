/* Constant tables that stay in flash.
 *
 * On an AVR plain `const` data is copied into RAM at start. `ROM` puts it in flash and lets the compiler read it
 * there (GNU C's named address space, Embedded C TR 18037); everywhere else it is plain const.
 */
#ifndef DICETOWER_ROM_H
#define DICETOWER_ROM_H

#if defined(__AVR__)
#define ROM const __flash
#else
#define ROM const
#endif

typedef ROM char rom_char;

#endif
