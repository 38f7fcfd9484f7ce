/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
int command_demo(const struct command *command)
{
	(void)command;
	return 2;
}
