/* What simulation speed is held against: scalar C as one would write it for these games alone. One game at a time,
   natural control flow, xoshiro256++ (Blackman and Vigna), dice of a throw drawn together from a table.

       yardstick GAME N ARGUMENTS...      hazard N MAIN | tossup N MORE_THAN MORE_THAN
                                          pig N HOLD_AT | lcr N PLAYERS

   prints the seconds that N games take on one thread, then what was counted (so that nothing is optimised away). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct { uint64_t s[4]; } generator;

static inline uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }

static inline uint64_t random64(generator *g) {
    uint64_t *s = g->s, result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotate(s[3], 45);
    return result;
}

static void seed(generator *g, uint64_t x) {
    for (int i = 0; i < 4; i++) { /* splitmix64 */
        uint64_t z = x += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        g->s[i] = z ^ z >> 31;
    }
}

static inline uint32_t below(generator *g, uint32_t n) { return (random64(g) >> 32) * n >> 32; }

/* Hazard ------------------------------------------------------------------------------------------------------- */
static uint8_t total_of[36];

static inline int pair(generator *g) { return total_of[below(g, 36)]; }

static int hazard_round(generator *g, int main_) {
    int chance = pair(g);
    if (chance == main_) return 1;
    if (chance <= 3) return 0;
    if (chance >= 11) {
        if (main_ == 5 || main_ == 9) return 0;
        return main_ == 7 ? chance == 11 : chance == 12;
    }
    for (;;) {
        int total = pair(g);
        if (total == chance) return 1;
        if (total == main_) return 0;
    }
}

/* Toss Up! ----------------------------------------------------------------------------------------------------- */
/* Alias tables (Walker) over the outcomes (greens, reds) of 1 to 10 dice, padded to a power of two. */
static struct { int mask; uint64_t keep[128]; uint8_t other[128], green[128], red[128]; } cup[11];

static void make_cup(int n) {
    double p[128] = {0}, log_n = lgamma(n + 1.0);
    int k = 0, size = 4, small[128], large[128], a = 0, b = 0;
    for (int g = 0; g <= n; g++)
        for (int r = 0; g + r <= n; r++, k++) {
            int y = n - g - r;
            p[k] = exp(log_n - lgamma(g + 1.0) - lgamma(y + 1.0) - lgamma(r + 1.0)) * pow(3 / 6.0, g) * pow(2 / 6.0, y) * pow(1 / 6.0, r);
            cup[n].green[k] = g;
            cup[n].red[k] = r;
        }
    while (size < k) size *= 2;
    cup[n].mask = size - 1;
    for (int i = 0; i < size; i++) {
        p[i] *= size;
        if (p[i] < 1) small[a++] = i; else large[b++] = i;
    }
    while (a && b) {
        int s = small[--a], l = large[--b];
        cup[n].keep[s] = p[s] * 4294967296.0;
        cup[n].other[s] = l;
        p[l] -= 1 - p[s];
        if (p[l] < 1) small[a++] = l; else large[b++] = l;
    }
    while (b) { int l = large[--b]; cup[n].keep[l] = 1ull << 32; cup[n].other[l] = l; }
    while (a) { int s = small[--a]; cup[n].keep[s] = 1ull << 32; cup[n].other[s] = s; }
}

static int tossup_game(generator *g, int first, int second) {
    int score[2] = {0, 0}, more_than[2] = {first, second}, player = 0;
    for (;;) {
        int points = 0, dice = 10;
        for (;;) {
            uint64_t x = random64(g);
            int o = x >> 40 & cup[dice].mask;
            if ((x & 0xffffffffu) >= cup[dice].keep[o]) o = cup[dice].other[o];
            int greens = cup[dice].green[o];
            if (greens == 0 && cup[dice].red[o] > 0) { points = 0; break; }
            points += greens;
            if (points > more_than[player]) break;
            dice -= greens;
            if (dice == 0) dice = 10;
        }
        score[player] += points;
        if (score[player] >= 100) return player;
        player ^= 1;
    }
}

/* Pig ---------------------------------------------------------------------------------------------------------- */
static int pig_game(generator *g, int hold_at) {
    int score[2] = {0, 0}, player = 0;
    for (;;) {
        int points = 0, left = 100 - score[player], enough = hold_at < left ? hold_at : left;
        while (points < enough) {
            int face = 1 + below(g, 6);
            if (face == 1) { points = 0; break; }
            points += face;
        }
        score[player] += points;
        if (score[player] >= 100) return player;
        player ^= 1;
    }
}

/* LCR ---------------------------------------------------------------------------------------------------------- */
static uint8_t moved[4][216][3];

static inline int lcr_game(generator *g, int players, long *all_turns) {
    static const int faces[4] = {1, 6, 36, 216};
    int coins[64], owners = players, player = 0, turns = 0;
    for (int i = 0; i < players; i++) coins[i] = 3;
    while (owners > 1) {
        int have = coins[player], dice = have < 3 ? have : 3;
        turns++;
        if (dice) {
            uint8_t *to = moved[dice][below(g, faces[dice])];
            int left = player ? player - 1 : players - 1, right = player + 1 < players ? player + 1 : 0;
            if (to[0]) { if (!coins[left]) owners++; coins[left] += to[0]; }
            if (to[1]) { if (!coins[right]) owners++; coins[right] += to[1]; }
            int gone = to[0] + to[1] + to[2];
            if (gone) { coins[player] -= gone; if (!coins[player]) owners--; }
        }
        player = player + 1 < players ? player + 1 : 0;
    }
    *all_turns += turns;
    for (int i = 0; i < players; i++) if (coins[i]) return i;
    return -1;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    long n = atol(argv[2]), won = 0, turns = 0;
    int a = atoi(argv[3]), b = argc > 4 ? atoi(argv[4]) : 0;
    struct timespec began, ended;
    for (int i = 0; i < 36; i++) total_of[i] = 2 + i / 6 + i % 6;
    for (int i = 1; i <= 10; i++) make_cup(i);
    for (int dice = 1, all = 6; dice <= 3; dice++, all *= 6)
        for (int i = 0; i < all; i++)
            for (int j = 0, x = i; j < dice; j++, x /= 6)
                if (x % 6 < 3) moved[dice][i][x % 6]++;
    generator g;
    seed(&g, 1);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    if (!strcmp(argv[1], "hazard")) for (long i = 0; i < n; i++) won += hazard_round(&g, a);
    else if (!strcmp(argv[1], "tossup")) for (long i = 0; i < n; i++) won += tossup_game(&g, a, b) == 0;
    else if (!strcmp(argv[1], "pig")) for (long i = 0; i < n; i++) won += pig_game(&g, a) == 0;
    else if (strcmp(argv[1], "lcr")) return 2;
    else if (a == 6) for (long i = 0; i < n; i++) won += lcr_game(&g, 6, &turns) == 0; /* compiled for 6 players */
    else for (long i = 0; i < n; i++) won += lcr_game(&g, a, &turns) == 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    printf("%.6f %ld %ld\n", (ended.tv_sec - began.tv_sec) + 1e-9 * (ended.tv_nsec - began.tv_nsec), won, turns);
    return 0;
}
