/* A wall clock that is ahead of the machine's: preloaded, it adds HUNT_CLOCK_AHEAD seconds to what a process is shown.
   What measures spans of time, and every sleep, stays as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t ahead(void) {
    static long long seconds = -1;
    if (seconds < 0) {
        const char *text = getenv("HUNT_CLOCK_AHEAD");
        seconds = text ? atoll(text) : 0;
    }
    return (time_t)seconds;
}

int clock_gettime(clockid_t id, struct timespec *shown) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, shown);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) shown->tv_sec += ahead();
    return failed;
}

int gettimeofday(struct timeval *restrict shown, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    shown->tv_sec = now.tv_sec;
    shown->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *shown) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (shown) *shown = now.tv_sec;
    return now.tv_sec;
}
