/* What exact answers for LCR are held against: C for this game alone. The joint law of (length, winner) of LCR with N
   players, three coins each and three dice, by forward propagation of the chance of every vector of coins.

       lcr N       3 to 10 players; needs 8 C(4N, N) bytes: 84 MB for N = 8, 6.8 GB for N = 10

   prints the seconds, how many states (vectors of coins), the mean number of turns; the chance of each seat to win;
   what was left out. Compile with -O3 -march=native -fopenmp, and set OMP_WAIT_POLICY=passive on shared cores.

   - Turn t is always played by seat (t - 1) mod N, so a state is only who has how many coins: c[0], ..., c[N-1].
   - With S[q] = c[0] + ... + c[q] the number of a state is the sum of C(S[q] + q, q + 1) over q (combinatorial number
     system). States are so in the order of the coins in play, S[N-1]; the top layer of these is given up, again and
     again, once it holds next to nothing.
   - A turn moves coins among mover, left and right. For given coins of the others the states form a block, which is
     loaded, played and stored in place. S[q] depends on the coins of none, the first, the first two or all of these
     three, in the order of seats; so the number of a state in the block is the sum of three look-ups.
   - LANES blocks of equal shape are played side by side.
   - Of the coins that leave the mover each goes left, right or to the center with equal chance: a mean of three. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LANES = 8, MOST = 10, COINS = 3 * MOST, TURNS = 4096 };
static const double GIVEN_UP = 1e-20;

static int players;
static int32_t choose[MOST][COINS + 2]; /* C(S + q, q + 1) */
static double *state;                   /* chance of each vector of coins, of games that go on */
static double law[TURNS][MOST];         /* chance that the game takes so many turns and this seat wins */
static int8_t (*others)[MOST];          /* coins of the seats but left, mover and right, by their sum */
static int32_t others_from[COINS + 2];  /* the first with a sum */

typedef struct { int32_t number[3][COINS + 1][LANES]; } lookup;
typedef double lanes __attribute__((vector_size(8 * LANES)));

static int32_t states(int coins) { return choose[players - 1][coins + 1]; } /* with at most so many coins */

static void make_choose(void) {
    for (int q = 0; q < players; q++)
        for (int s = 1; s <= 3 * players + 1; s++) choose[q][s] = (q ? choose[q - 1][s] : 1) + choose[q][s - 1];
}

static void list_others(int seat, int left, int8_t *coins) { /* seat 0 changes fastest */
    static int32_t count;
    if (seat < 0) {
        if (left == 0) memcpy(others[count++], coins, MOST);
        return;
    }
    for (coins[seat] = seat ? 0 : left; coins[seat] <= left; coins[seat]++)
        list_others(seat - 1, left - coins[seat], coins);
}

/* The numbers of the states of one block, by the coins of the first, of the first two, and of all three of left, mover
   and right in the order of seats. */
static void look_up(lookup *at, int lane, int mover, const int8_t *other, int most) {
    int part = 0, before = 0, next = 0;
    for (int i = 0; i < 3; i++) for (int k = 0; k <= most; k++) at->number[i][k][lane] = 0;
    for (int q = 0; q < players; q++) {
        int distance = (q - mover + players + 1) % players; /* 0: left, 1: mover, 2: right */
        if (distance < 3) part++; else before += other[next++];
        if (part == 0) for (int k = 0; k <= most; k++) at->number[0][k][lane] += choose[q][before];
        else for (int k = 0; k <= most; k++) at->number[part - 1][k][lane] += choose[q][before + k];
    }
}

/* From the states to the cells of a block, or back: for each m of the mover a triangle of (left + right, left). */
static void carry(int mover, int most, const lookup *at, lanes *cell, int storing) {
    int plane = (most + 1) * (most + 2) / 2;
    for (int m = 0; m <= most; m++)
        for (int n = 0, i = m * plane; n <= most - m; n++)
            for (int l = 0; l <= n; l++, i++) {
                int one = mover == 0 ? m : mover == players - 1 ? n - l : l;
                int two = mover == 0 ? m + n - l : mover == players - 1 ? n : l + m;
                const int32_t *x = at->number[0][one], *y = at->number[1][two], *z = at->number[2][m + n];
                if (storing) for (int w = 0; w < LANES; w++) state[x[w] + y[w] + z[w]] = cell[i][w];
                else for (int w = 0; w < LANES; w++) cell[i][w] = state[x[w] + y[w] + z[w]];
            }
}

/* One more coin leaves the mover: f becomes the mean over where it goes, with up to `most` coins left and right. */
static void pass(lanes *f, int most) {
    for (int n = most; n > 0; n--) {
        lanes *here = f + n * (n + 1) / 2, *less = here - n;
        here[n] = (here[n] + less[n - 1]) * (1 / 3.);
        for (int l = n - 1; l > 0; l--) here[l] = (here[l] + less[l] + less[l - 1]) * (1 / 3.);
        here[0] = (here[0] + less[0]) * (1 / 3.);
    }
    f[0] *= 1 / 3.;
}

/* A turn in a block: from each plane to those with fewer coins of the mover, which are done. */
static void play(int most, lanes *cell) {
    static const double leave[4][4] = {{1}, {1/2., 1/2.}, {1/4., 2/4., 1/4.}, {1/8., 3/8., 3/8., 1/8.}};
    int plane = (most + 1) * (most + 2) / 2;
    lanes *f = cell + (most + 1) * plane;
    for (int m = 1; m <= most; m++) {
        int dice = m < 3 ? m : 3, size = (most - m + 1) * (most - m + 2) / 2;
        memcpy(f, cell + m * plane, size * sizeof *f);
        memset(f + size, 0, 3 * (most + 3) * sizeof *f);
        for (int i = 0; i < size; i++) cell[m * plane + i] *= leave[dice][0];
        for (int k = 1; k <= dice; k++) {
            lanes *to = cell + (m - k) * plane;
            pass(f, most - m + k);
            size += most - m + k + 1;
            for (int i = 0; i < size; i++) to[i] += leave[dice][k] * f[i];
        }
    }
}

static void turn(int mover, int top) {
    #pragma omp parallel if (states(top) > 20000)
    {
        lookup at;
        lanes *cell = aligned_alloc(64, sizeof(lanes) * (top + 4) * (top + 4) * (top + 4));
        for (int sum = 0; sum < top; sum++) {
            #pragma omp for schedule(dynamic, 16) nowait
            for (int32_t first = others_from[sum]; first < others_from[sum + 1]; first += LANES) {
                for (int w = 0; w < LANES; w++) {
                    int32_t o = first + w < others_from[sum + 1] ? first + w : others_from[sum + 1] - 1;
                    look_up(&at, w, mover, others[o], top - sum); /* the last block several times: no harm */
                }
                carry(mover, top - sum, &at, cell, 0);
                play(top - sum, cell);
                carry(mover, top - sum, &at, cell, 1);
            }
        }
        free(cell);
    }
}

static void take_out_finished(int turns, int top) {
    for (int seat = 0; seat < players; seat++)
        for (int coins = 1; coins <= top; coins++) {
            int32_t number = 0;
            for (int q = seat; q < players; q++) number += choose[q][coins];
            law[turns][seat] += state[number];
            state[number] = 0;
        }
}

static double mass(int coins) { /* of a layer; or some of it, if that is enough to keep it */
    double sum = 0;
    for (int32_t i = states(coins - 1); i < states(coins) && sum < GIVEN_UP; i++) sum += state[i];
    return sum;
}

int main(int argc, char **argv) {
    players = argc > 1 ? atoi(argv[1]) : 0;
    if (players < 3 || players > MOST) return 2;
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    make_choose();
    int top = 3 * players, turns = 0;
    double left_out = 0, mean = 0, won[MOST] = {0};
    int32_t all = states(top), lists = 1;
    for (int i = 1; i <= players - 3; i++) lists = (int64_t)lists * (top + i) / i;
    state = calloc(all, sizeof *state);
    others = malloc(lists * sizeof *others);
    int8_t coins[MOST] = {0};
    for (int sum = 0, count = 1; sum <= top; sum++) { /* count: of lists of players - 3 numbers with this sum */
        others_from[sum + 1] = others_from[sum] + count;
        list_others(players - 4, sum, coins);
        count = (int64_t)count * (sum + players - 3) / (sum + 1);
    }
    int32_t start = 0;
    for (int q = 0; q < players; q++) start += choose[q][3 * (q + 1)];
    state[start] = 1;
    while (top > 1 && turns + 1 < TURNS) {
        turn(turns % players, top);
        take_out_finished(++turns, top);
        while (turns % players == 0 && top > 1 && mass(top) < GIVEN_UP) left_out += mass(top--);
    }
    for (int t = 1; t <= turns; t++)
        for (int seat = 0; seat < players; seat++) {
            won[seat] += law[t][seat];
            mean += t * law[t][seat];
        }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double seconds = (ended.tv_sec - began.tv_sec) + 1e-9 * (ended.tv_nsec - began.tv_nsec);
    printf("%.6f s, %d states, mean %.12f turns\n", seconds, all, mean);
    for (int seat = 0; seat < players; seat++) printf("%.15f%c", won[seat], seat < players - 1 ? ' ' : '\n');
    printf("left out %.1e, at most %d turns\n", left_out, turns);
    return 0;
}
