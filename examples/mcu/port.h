/* port.h: what the sketch wants of a board */
#ifndef PORT_H
#define PORT_H

/* Waits for a byte of the serial line and returns it, 0 to 255, or -1 if none will ever come. */
int serial_read(void);

/* Sends a byte, and waits until there is room for it. */
void serial_write(char c);

#endif
