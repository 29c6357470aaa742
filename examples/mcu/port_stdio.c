/* port_stdio.c: the serial line is standard input and output, to try the sketch on any machine */
#include <stdio.h>

#include "port.h"

int serial_read(void) { return getchar(); }

void serial_write(char c) { putchar(c); }
