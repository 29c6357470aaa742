// The calls of MPI that this program makes. All but ialgn_init return 0 or an error code of MPI.
#include <mpi.h>

int ialgn_init(int *rank, int *size);
int ialgn_sum(int *counts, int n);
int ialgn_sizes(long own, long *all);
int ialgn_gather(const void *own, int n, void *all, const int *sizes, const int *starts);
int ialgn_barrier(void);
int ialgn_beat(int *heard, int *first);
int ialgn_claim(void);
void ialgn_abort(int status);
void ialgn_text(int code, char text[MPI_MAX_ERROR_STRING]);
