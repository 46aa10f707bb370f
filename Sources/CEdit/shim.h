// libedit through its readline interface: line editing, history and completion.
#ifndef CEDIT_SHIM_H
#define CEDIT_SHIM_H

#include <stdio.h>
#include <editline/readline.h>

#endif
