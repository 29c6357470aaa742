//go:build mpi

#include "binding.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

// MPI is called by one thread at a time, as MPI_THREAD_SERIALIZED wants. The lock is held for single calls, never
// while a rank waits, so that the beats go on.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm exchange, control;
static int own, ranks, first = -1;

enum { BEAT = 1, CLAIM, GRANT };

int ialgn_init(int *rank, int *size)
{
	int level, code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
	if (code == MPI_SUCCESS && level < MPI_THREAD_SERIALIZED)
		code = MPI_ERR_OTHER;
	if (code == MPI_SUCCESS)
		code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // the copies have it, too
	if (code == MPI_SUCCESS)
		code = MPI_Comm_dup(MPI_COMM_WORLD, &exchange);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_dup(MPI_COMM_WORLD, &control);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_rank(control, &own);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(control, &ranks);
	*rank = own;
	*size = ranks;
	return code;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

// finish waits for an exchange that was begun with this code, under the lock: first without a pause, but that
// others on the same core go first, then with pauses of a part of the time that it has waited.
static int finish(MPI_Request *request, int code)
{
	const double spin = 200e-6, longest = 1e-3;
	const int part = 32;
	int done = 0;
	double begin = 0;
	while (code == MPI_SUCCESS && (code = MPI_Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done) {
		pthread_mutex_unlock(&lock);
		double t = now();
		if (begin == 0)
			begin = t;
		double pause = (t - begin) / part;
		if (t - begin < spin)
			sched_yield();
		else
			nanosleep(&(struct timespec){0, (long)(1e9 * (pause < longest ? pause : longest))}, NULL);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return code;
}

int ialgn_sum(int *counts, int n)
{
	MPI_Request r;
	pthread_mutex_lock(&lock);
	return finish(&r, MPI_Iallreduce(MPI_IN_PLACE, counts, n, MPI_INT32_T, MPI_SUM, exchange, &r));
}

int ialgn_sizes(long size, long *all)
{
	MPI_Request r;
	pthread_mutex_lock(&lock);
	return finish(&r, MPI_Iallgather(&size, 1, MPI_LONG, all, 1, MPI_LONG, exchange, &r));
}

int ialgn_gather(const void *data, int n, void *all, const int *sizes, const int *starts)
{
	MPI_Request r;
	pthread_mutex_lock(&lock);
	return finish(&r, MPI_Iallgatherv(data, n, MPI_BYTE, all, sizes, starts, MPI_BYTE, exchange, &r));
}

int ialgn_barrier(void)
{
	MPI_Request r;
	pthread_mutex_lock(&lock);
	return finish(&r, MPI_Ibarrier(exchange, &r));
}

// told receives a message of this tag, if one has come, and says from whom.
static int told(int from, int tag, int *come, int *source)
{
	MPI_Status s;
	int code = MPI_Iprobe(from, tag, control, come, &s);
	if (code != MPI_SUCCESS || !*come)
		return code;
	*source = s.MPI_SOURCE;
	return MPI_Recv(NULL, 0, MPI_BYTE, s.MPI_SOURCE, tag, control, MPI_STATUS_IGNORE);
}

// tell sends a message that has nothing but its tag. Such messages do not wait for the other to take them.
static int tell(int to, int tag)
{
	MPI_Request r;
	int code = MPI_Isend(NULL, 0, MPI_BYTE, to, tag, control, &r);
	return code == MPI_SUCCESS ? MPI_Request_free(&r) : code;
}

// ialgn_beat tells the next rank that this one is there, and how many beats of the one before have come. On rank 0
// it lets the first rank that claims to have failed have its say; first is the rank that has it, -1 if none.
int ialgn_beat(int *heard, int *who)
{
	int come = 1, source, code;
	pthread_mutex_lock(&lock);
	code = tell((own + 1) % ranks, BEAT);
	for (*heard = 0; code == MPI_SUCCESS && come; *heard += come)
		code = told((own + ranks - 1) % ranks, BEAT, &come, &source);
	for (come = own == 0; code == MPI_SUCCESS && come;) {
		code = told(MPI_ANY_SOURCE, CLAIM, &come, &source);
		if (code == MPI_SUCCESS && come && first < 0)
			code = tell(first = source, GRANT);
	}
	if (code == MPI_SUCCESS && own != 0) {
		code = told(0, GRANT, &come, &source);
		if (come)
			first = own;
	}
	*who = first;
	pthread_mutex_unlock(&lock);
	return code;
}

// ialgn_claim says that this rank has failed.
int ialgn_claim(void)
{
	int code = MPI_SUCCESS;
	pthread_mutex_lock(&lock);
	if (own != 0)
		code = tell(0, CLAIM);
	else if (first < 0)
		first = 0;
	pthread_mutex_unlock(&lock);
	return code;
}

// ialgn_abort ends all ranks. It does not take the lock: the process is at its end.
void ialgn_abort(int status)
{
	MPI_Abort(MPI_COMM_WORLD, status);
}

void ialgn_text(int code, char text[MPI_MAX_ERROR_STRING])
{
	int n = 0;
	text[0] = 0;
	pthread_mutex_lock(&lock);
	MPI_Error_string(code, text, &n);
	pthread_mutex_unlock(&lock);
}
