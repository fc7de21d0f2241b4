// Where the tests find weight files: $REPRISE_WEIGHTS, else build/weights of the repository (the working directory).
#ifndef SUPPORT_WEIGHTS_H
#define SUPPORT_WEIGHTS_H

enum { WEIGHT_FILE_COUNT = 21 };

// Every weight file that there is, without ".tza".
extern const char *const weight_files[WEIGHT_FILE_COUNT];

// The path of "NAME.tza", for free(); NULL, with a line on stderr, when it is missing: the test must then skip().
char *weights_path(const char *name);

#endif
