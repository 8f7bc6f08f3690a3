/* What board.c measures. */
#include <stddef.h>

size_t flash_used(void); /* bytes of code and constants */
size_t stack_used(void); /* bytes, at most since the start */

unsigned ticks(void); /* of the timer */
unsigned instructions_since(unsigned start); /* where qemu runs with -icount shift=0 */
