#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the commit of the tree that the program is built of. A package's tree has no history, but a file that says it.
cd "$1" || exit 1
if [ -f COMMIT ]; then
	cat COMMIT
else
	git rev-parse --short=12 HEAD
fi
