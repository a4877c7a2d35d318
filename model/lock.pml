/*
 * The lock protocol on DynamoDB (docs/protocol.md) as a model for Spin: one record, clients with wrong clocks that may
 * crash, and a network that loses, delays, doubles and reorders. It checks safety and orphans; see README.md for what
 * it leaves out. BUG_… macros break one rule each, bounds are macros too. With ANY_PAST the record begins as any earlier
 * runs may have left its ticks. With OLD_VERSION every second host runs version 0.1.0, which knows no lists of ticks.
 * With EXPECTED_EVERY_TICK a success also lists the ticks that never came.
 *
 * Scale: 1 unit = 0.5 s. Everything that happens "at once" happens within one unit of `now`, the server's true time,
 * in any order. Monotonic clocks run true, so `now` serves as every host's monotonic clock.
 */

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2     /* logical acquires in all: the hosts' in turn, one after the other on each */
#endif
#ifndef TRIES
#define TRIES 2        /* sends of an acquire or a takeover, all with the same contents */
#endif
#ifndef DUPLICATES
#define DUPLICATES 0   /* messages that the network doubles, in all */
#endif
#ifndef CRASHES
#define CRASHES 1      /* clients that die, in all; the next attempt is that of a new process on the same host */
#endif
#ifndef EXTENSIONS
#define EXTENSIONS 0   /* extensions that one grant may send */
#endif
#ifndef DELETES
#define DELETES 0      /* deletes by an operator, in all */
#endif
#ifndef FORCES
#define FORCES 0       /* force releases by an operator, in all; a handler may then run on, so overlaps are not checked */
#endif
#ifndef TICKS
#define TICKS 1        /* each attempt is for any tick of 1..TICKS, up to 3; a single one needs no lists */
#endif
#ifndef UNITS
#define UNITS 8        /* how long the clock runs */
#endif
#ifndef SKEW
#define SKEW 3         /* a wall clock is wrong by -SKEW, 0 or +SKEW: as much as a whole lease */
#endif
#ifndef ONLY
#define ONLY 0         /* the one invariant to check, by its number; 0 checks all */
#endif

#define SECOND 2       /* units of the Date header's grain */
#define STALE  1       /* units by which a Date header may be late, beside its truncation */
#define SLOP   2       /* truncation loses at most 1 unit of integer time, staleness 1: server time <= Date + SLOP */
#define PAD    SLOP
#define GUARD  1       /* the smallest: a handler may run within the very unit of its deadline, not after it */
#define LEASE  3
#define START  4       /* >= SKEW + STALE, so that no clock is negative; even, so that Date starts exact */
#define END    (START + UNITS)
#define N      ATTEMPTS

#define CHECK(i, holds) assert((ONLY != 0 && ONLY != i) || (holds))

/* States of the record. ABSENT: never granted, so without lockUntil. */
#define ABSENT   0
#define HELD     1
#define RELEASED 2
#define DELETED  3
#define FORCED   4

/* Calls, and what their answers say. */
#define NONE     0
#define ACQUIRE  1
#define TAKEOVER 2
#define CANCEL   3
#define EXTEND   4

#define GRANTED   1   /* applied just now */
#define OWN       2   /* refused, and the record is this attempt's and held */
#define REFUSED   3   /* locked */
#define EXPIRED   4   /* somebody else's, and over by the Date of this very answer */
#define FAILED    5   /* anything else */
#define CANCELLED 6
#define EXTENDED  7   /* now or by an earlier try */
#define LOST      8
#define UNKNOWN   9   /* no answer came */
#define DONE      10  /* refused for good: the tick is done */

/* Phases of a client. */
#define IDLE    0
#define CALLING 1
#define RUNNING 2
#define ENDING  3

byte now = START;

/* The record. Attempts are numbered from 1; 0 is none. */
byte recAttempt, recState, recLockedAt, recLockUntil, recToken, recDoneTick, recBarred;

#if TICKS > 1
/* Lists of ticks are bit masks, tick 1 in bit 1. recTick is kept while the lock is held: nobody reads it later. */
byte recTick, recOpen, recFailed;
#define BIT(tick)    (1 << (tick))
#define EVERY        (BIT(TICKS + 1) - 2)
#define BELOW(tick)  (BIT(tick) - 2)
#define ABOVE(tick)  (EVERY & ~(BIT((tick) + 1) - 1))
#define IS_LISTED(tick) ((recOpen & BIT(tick)) != 0)
#else
#define IS_LISTED(tick) false
#endif

/* Requests on their way, a slot for each attempt and verb: how many copies, and what they carry. A copy that never
 * arrives is lost, one that arrives after the call is late, and nothing orders them. */
typedef Sent {
  byte acquires, acquireNow;
  byte takeovers, takeoverNow, oldAttempt, oldUntil, oldState;
  byte cancels;
  byte extends, extendUntil;
  byte releases, releaseAt;
  bit succeeded;
  byte tick;
#if TICKS > 1
  byte oldFailed;                              /* the list that a takeover from a holder writes */
  byte seenDone, seenOpen, seenFailed;         /* what the grant brought back; the release rests on it alone */
#endif
}
Sent sent[N + 1];

typedef Host {
  byte clock;                                  /* its wall clock is now + clock - SKEW */
  byte attempt, phase, call, tries;
  byte firstSent, callSent;                    /* monotonic: the attempt's first send (0 once time has gone by), and
                                                * the send that may be answered */
  bit ambiguous;
  byte fence;                                  /* the lockUntil that it takes over from; its release keeps it */
  byte answer, ansAttempt, ansUntil, ansState; /* the answer to the call at hand; one that is not read was lost */
#if TICKS > 1
  byte ansDone, ansOpen, ansFailed;
#endif
  byte ansDeadline, ansLongest;                /* what the answer makes of the two below */
  byte deadline, longest, extensions;          /* of the grant: when the handler must stop; L of the protocol */
}
Host host[CLIENTS];

byte duplicates = DUPLICATES, crashes = CRASHES;

#if DELETES > 0
byte deletes = DELETES;
/* A delete on its way: how many copies, what it has read, and the operator's clock. */
typedef Delete { byte copies, oldToken, oldUntil, oldState, at; }
Delete del;
#endif

#if FORCES > 0
byte forces = FORCES;
/* A force release on its way: how many copies, what it has read, the list that it writes, and its fence. */
typedef Force { byte copies, oldToken, failed, fence; }
Force force;
#endif

/* What the checks remember; the protocol reads none of it. */
byte runners, owner, lastToken;
bit over[N + 1];       /* its caller was told an end: skipped, failed for sure, or ran */
bit wasBarred[N + 1];
bit isDone[TICKS + 1]; /* a success of the tick was recorded */
#if TICKS > 1
bit hasBegun[TICKS + 1]; /* it was granted, and no run of an old version has passed it over */
#endif
#if DELETES > 0
bit toldDone[N + 1];   /* its caller was told that the tick is done */
bit forgotten[N + 1];  /* a delete has forgotten that tick since */
#endif

/* Of one step only, hence not part of the state. */
hidden byte verdict, date, copies, ended, each, failedBefore;
hidden int deadlineAt, capAt, anchor;

#define hostOf(a)  ((a - 1) % CLIENTS)
#define wall(c)    (now + host[c].clock - SKEW)
#define mono(c, w) (w + SKEW - host[c].clock)

/* --- The server ------------------------------------------------------------------------------------------------- */

inline readDate() {
  if
  :: date = (now / SECOND) * SECOND
  :: date = ((now - STALE) / SECOND) * SECOND
  fi
}

#ifdef OLD_VERSION
#define IS_OLD(a) (hostOf(a) == 1)
#else
#define IS_OLD(a) false
#endif

/* A done tick of 0 is none. */
#if defined(TICK_MARK_START) && !defined(BUG_START_LOOKS_INTO_LIST)
#define MAY_BE_LISTED(a) false
#else
#define MAY_BE_LISTED(a) (!IS_OLD(a) && IS_LISTED(sent[a].tick))
#endif
#ifdef BUG_DONE_TICK_NOT_COMPARED
#define TICK_OPEN(a) true
#elif defined(BUG_LISTED_WITHOUT_DONE)
#define TICK_OPEN(a) (recDoneTick < sent[a].tick || MAY_BE_LISTED(a))
#else
#define TICK_OPEN(a) (recDoneTick < sent[a].tick || (recDoneTick > sent[a].tick && MAY_BE_LISTED(a)))
#endif

#ifdef BUG_NO_OWN_CHECK
#define NEW_ATTEMPT(a) true
#define IS_OWN(a)      false
#else
#define NEW_ATTEMPT(a) (recAttempt != a)
#define IS_OWN(a)      (recAttempt == a && recState == HELD)
#endif

#define FREE(a) (recState == ABSENT || (recState != HELD && recLockUntil <= sent[a].acquireNow))

#ifdef BUG_TAKEOVER_WITHOUT_UNTIL
#define UNCHANGED(a) (recAttempt == sent[a].oldAttempt && recState == sent[a].oldState)
#else
#define UNCHANGED(a) (recAttempt == sent[a].oldAttempt && recLockUntil == sent[a].oldUntil && recState == sent[a].oldState)
#endif

#ifdef BUG_TAKEOVER_BY_CLIENT_CLOCK
#define IS_EXPIRED(a) (recLockUntil <= wall(hostOf(a)))
#elif defined(BUG_DATE_ROUNDED_UP)
#define IS_EXPIRED(a) (recLockUntil <= date + SECOND)
#else
#define IS_EXPIRED(a) (recLockUntil <= date)
#endif

/* Nobody has it, whatever the clocks say. */
#ifdef BUG_RELEASE_BY_CLOCK
#define GIVEN_BACK false
#else
#define GIVEN_BACK (recState == RELEASED || recState == DELETED || recState == FORCED)
#endif

/* The known remainders within these bounds: a late grant that nobody runs under, once its bar was overwritten, or once
 * a delete has forgotten its tick. */
#ifdef NO_REMAINDER_A
#define REMAINDER_A(a) false
#else
#define REMAINDER_A(a) (wasBarred[a] && recBarred != a)
#endif
#if DELETES > 0 && !defined(NO_REMAINDER_D)
#define REMAINDER_D(a) (forgotten[a])
#else
#define REMAINDER_D(a) false
#endif
#define REMAINDER(a) (REMAINDER_A(a) || REMAINDER_D(a))

#if TICKS > 1
/* Holds after every write. An open tick is one that a grant would still take; 14 shows that ANY_PAST leaves out nothing. */
#define IS_OPEN(tick) (recDoneTick < tick || IS_LISTED(tick))
#define IS_KEPT(tick) (IS_LISTED(tick) || (recFailed & BIT(tick)) != 0 || (recState == HELD && recTick == tick))

inline checkTicks() {
  CHECK(13, (recOpen & ~BELOW(recDoneTick)) == 0);
  for (each : 1 .. TICKS) {
    CHECK(3, !isDone[each] || !IS_OPEN(each));
#ifndef TICK_MARK_START
    CHECK(12, !hasBegun[each] || isDone[each] || IS_OPEN(each));
    CHECK(14, !hasBegun[each] || isDone[each] || IS_KEPT(each));
#endif
#if !defined(OLD_VERSION) && !defined(TICK_MARK_START)
    CHECK(14, recDoneTick < each || (recFailed & BIT(each)) == 0);
#endif
  }
  each = 0
}

/* The failed ticks once the run that holds the lock has crashed, or is ended by force. */
#define FAILED_AFTER_CRASH (recState == HELD && recTick > recDoneTick -> recFailed | BIT(recTick) : recFailed)
#else
#define checkTicks() skip
#endif

inline setDoneTick(to) {
  CHECK(15, to >= recDoneTick);
  recDoneTick = to
}

inline grant(a, at) {
  CHECK(3, !isDone[sent[a].tick]);
  CHECK(4, recState != HELD || now >= recLockUntil);
  CHECK(8, !over[a] || REMAINDER(a));
  recAttempt = a; recState = HELD; recLockedAt = at; recLockUntil = at + LEASE + PAD;
#ifndef BUG_TOKEN_NOT_RAISED
  recToken++;
#endif
#ifdef TICK_MARK_START
  setDoneTick(sent[a].tick); isDone[sent[a].tick] = 1;
#endif
#if TICKS > 1
  recTick = sent[a].tick;
  if
  :: IS_OLD(a)
  :: else -> hasBegun[sent[a].tick] = 1
  fi;
#endif
  checkTicks();
  CHECK(2, recToken > lastToken);
  lastToken = recToken;
  owner = a;
  verdict = GRANTED
}

/* Reads off the record why it refused attempt a. */
inline judge(a) {
  if
  :: IS_OWN(a) -> verdict = OWN
  :: else ->
    if
    :: !TICK_OPEN(a) ->
      CHECK(3, isDone[recDoneTick]);
      verdict = DONE
    :: else ->
      if
#ifndef BUG_NO_OWN_CHECK
      :: recAttempt == a || recState == ABSENT -> verdict = FAILED
#endif
      :: else ->
        if
        :: GIVEN_BACK || IS_EXPIRED(a) -> verdict = EXPIRED
        :: else -> CHECK(11, recState == HELD); verdict = REFUSED
        fi
      fi
    fi
  fi
}

/* The deadline that this answer gives. It rests on instants before the answer alone, so it is known already here. */
inline workOutDeadline(c, verb) {
  if
  :: verb == EXTEND -> anchor = host[c].callSent
  :: else -> anchor = mono(c, recLockedAt)
  fi;
  deadlineAt = anchor + LEASE;
#if EXTENSIONS > 0
  if
  :: verb == EXTEND && host[c].longest > deadlineAt -> deadlineAt = host[c].longest
  :: else
  fi;
  host[c].ansLongest = deadlineAt;
#endif
#ifndef BUG_NO_CAP
  capAt = host[c].callSent + recLockUntil - date - SLOP;
  if
  :: capAt < deadlineAt -> deadlineAt = capAt
  :: else
  fi;
#endif
  /* One that is over is as good as any other that is. */
  if
  :: deadlineAt - GUARD <= now -> host[c].ansDeadline = START
  :: else -> host[c].ansDeadline = deadlineAt - GUARD
  fi;
  anchor = 0; deadlineAt = 0; capAt = 0
}

/* The answer reaches the caller if it still waits for one. An answer that is lost is one that is never read; only where
 * another copy may yet be answered, losing this one makes a difference of its own. */
inline reply(a, verb, left) {
  if
  :: host[hostOf(a)].attempt == a && host[hostOf(a)].call == verb && host[hostOf(a)].answer == NONE ->
    host[hostOf(a)].answer = verdict;
    if
    :: verdict == GRANTED || verdict == OWN || verdict == EXTENDED ->
      workOutDeadline(hostOf(a), verb);
#if TICKS > 1
      if
      :: verb == EXTEND
#ifdef BUG_REPLAY_KNOWS_NO_TICKS
      :: verdict == OWN
#endif
      :: else ->
        host[hostOf(a)].ansDone = recDoneTick;
        host[hostOf(a)].ansOpen = recOpen;
        host[hostOf(a)].ansFailed = recFailed;
#ifdef BUG_CRASHED_TICK_NOT_BROUGHT_BACK
        if
        :: verb == TAKEOVER && verdict == GRANTED -> host[hostOf(a)].ansFailed = failedBefore
        :: else
        fi
#endif
      fi
#endif
    :: verdict == EXPIRED && verb == ACQUIRE ->
      host[hostOf(a)].ansUntil = recLockUntil;
      host[hostOf(a)].ansAttempt = recAttempt;
#if TICKS > 1
      host[hostOf(a)].ansFailed = FAILED_AFTER_CRASH;
#endif
      host[hostOf(a)].ansState = recState
    :: else
    fi
  :: left > 0 || host[hostOf(a)].attempt != a || host[hostOf(a)].call != verb || host[hostOf(a)].answer != NONE
  fi;
  verdict = 0; date = 0
}

/* Forgets what nothing can depend on any more, so that states fall together. Changes no behaviour. */
inline tidy(a) {
  if
  :: sent[a].acquires == 0 && (host[hostOf(a)].attempt != a || host[hostOf(a)].call != ACQUIRE) ->
    sent[a].acquireNow = 0;
    if
    :: sent[a].takeovers == 0 && (host[hostOf(a)].attempt != a || host[hostOf(a)].call != TAKEOVER) ->
      sent[a].takeoverNow = 0; sent[a].oldAttempt = 0; sent[a].oldUntil = 0; sent[a].oldState = 0;
#if TICKS > 1
      sent[a].oldFailed = 0;
#endif
      if
      :: host[hostOf(a)].attempt > a ->
        over[a] = 0; wasBarred[a] = 0;
#if DELETES > 0
        toldDone[a] = 0; forgotten[a] = 0;
#endif
        if
        :: recBarred == a -> recBarred = 0
        :: else
        fi;
        if
        :: sent[a].cancels == 0 && sent[a].releases == 0 && sent[a].extends == 0 -> sent[a].tick = 0
        :: else
        fi
      :: else
      fi
    :: else
    fi
  :: else
  fi;
  if
  :: sent[a].releases == 0 && host[hostOf(a)].attempt > a ->
    sent[a].releaseAt = 0; sent[a].succeeded = 0;
#if TICKS > 1
    sent[a].seenDone = 0; sent[a].seenOpen = 0; sent[a].seenFailed = 0
#endif
  :: else
  fi;
  if
  :: sent[a].extends == 0 -> sent[a].extendUntil = 0
  :: else
  fi
}

#if TICKS > 1
/* A takeover from a holder adds the tick of that run. An old version does not, so that the tick may be lost. */
inline addCrashed(a) {
#ifdef BUG_CRASHED_TICK_NOT_BROUGHT_BACK
  failedBefore = recFailed;
#endif
  if
  :: IS_OLD(a) && recState == HELD && !IS_LISTED(recTick) && (recFailed & BIT(recTick)) == 0 -> hasBegun[recTick] = 0
#ifndef BUG_TAKEOVER_ADDS_NO_TICK
  :: !IS_OLD(a) && sent[a].oldState == HELD -> recFailed = sent[a].oldFailed
#endif
  :: else
  fi
}

#ifdef BUG_OLD_FAILURES_CARRIED_OVER
#define FAILED_BEFORE(a) sent[a].seenFailed
#else
#define FAILED_BEFORE(a) (sent[a].seenFailed & ABOVE(sent[a].seenDone))
#endif

/* Ticks that become open when a newer one is done. */
#ifdef EXPECTED_EVERY_TICK
#define PASSED(a) (FAILED_BEFORE(a) | ABOVE(sent[a].seenDone))
#else
#define PASSED(a) FAILED_BEFORE(a)
#endif

/* What the end of a run makes of the ticks: whole lists, of what its grant brought back. */
inline endTick(a) {
  if
  :: IS_OLD(a) && sent[a].succeeded ->
    setDoneTick(sent[a].tick);
    for (each : 1 .. TICKS) { hasBegun[each] = hasBegun[each] && (recDoneTick < each || IS_LISTED(each)) }
    each = 0
  :: !IS_OLD(a) && sent[a].succeeded && sent[a].tick > sent[a].seenDone ->
    setDoneTick(sent[a].tick);
    recOpen = sent[a].seenOpen | (PASSED(a) & BELOW(sent[a].tick));
    recFailed = FAILED_BEFORE(a) & ABOVE(sent[a].tick)
  :: !IS_OLD(a) && sent[a].succeeded && sent[a].tick <= sent[a].seenDone ->
#ifdef BUG_DONE_TICK_FALLS
    setDoneTick(sent[a].tick);
#else
    setDoneTick(sent[a].seenDone);
#endif
#ifdef BUG_DONE_TICK_STAYS_LISTED
    recOpen = sent[a].seenOpen;
#else
    recOpen = sent[a].seenOpen & ~BIT(sent[a].tick);
#endif
    recFailed = FAILED_BEFORE(a) & ABOVE(sent[a].seenDone)
#ifndef BUG_FAILURE_ADDS_NO_TICK
  :: !IS_OLD(a) && !sent[a].succeeded && sent[a].tick > sent[a].seenDone ->
    recFailed = FAILED_BEFORE(a) | BIT(sent[a].tick)
#endif
  :: else
  fi
}
#else
inline endTick(a) {
  if
  :: sent[a].succeeded -> setDoneTick(sent[a].tick)
  :: else
  fi
}
#endif

/* Everything attempt a has sent arrives here, copy by copy, in any order, at any time. */
proctype Line(byte a) {
  do
  :: atomic { sent[a].acquires > 0 ->
      sent[a].acquires--;
      readDate();
      if
      :: FREE(a) && NEW_ATTEMPT(a) && recBarred != a && TICK_OPEN(a) -> grant(a, sent[a].acquireNow)
      :: else -> judge(a)
      fi;
      reply(a, ACQUIRE, sent[a].acquires);
      tidy(a)
    }
  :: atomic { sent[a].takeovers > 0 ->
      sent[a].takeovers--;
      readDate();
      if
      :: UNCHANGED(a) && recBarred != a && TICK_OPEN(a) ->
#if TICKS > 1
        addCrashed(a);
#endif
        grant(a, sent[a].takeoverNow)
      :: else -> judge(a)
      fi;
      reply(a, TAKEOVER, sent[a].takeovers);
      tidy(a)
    }
  :: atomic { sent[a].cancels > 0 ->
      sent[a].cancels--;
      readDate();
      if
      :: recAttempt != a || recState != HELD -> recBarred = a; wasBarred[a] = 1; verdict = CANCELLED
      :: else -> verdict = OWN
      fi;
      reply(a, CANCEL, sent[a].cancels);
      tidy(a)
    }
#if EXTENSIONS > 0
  :: atomic { sent[a].extends > 0 ->
      sent[a].extends--;
      readDate();
      if
#ifdef BUG_EXTEND_WITHOUT_HELD
      :: recAttempt == a && recLockUntil < sent[a].extendUntil ->
#else
      :: recAttempt == a && recState == HELD && recLockUntil < sent[a].extendUntil ->
#endif
        CHECK(4, owner == a);
        recLockUntil = sent[a].extendUntil;
        verdict = EXTENDED
      :: else ->
        if
        :: recAttempt == a && recState == HELD && recLockUntil >= sent[a].extendUntil -> verdict = EXTENDED
        :: else -> verdict = LOST
        fi
      fi;
      reply(a, EXTEND, sent[a].extends);
      tidy(a)
    }
#endif
  :: atomic { sent[a].releases > 0 ->
      sent[a].releases--;
      if
#ifdef BUG_RELEASE_WITHOUT_ATTEMPT
      :: recState == HELD ->
#else
      :: recState == HELD && recAttempt == a ->
#endif
        CHECK(4, owner == a);
        owner = 0;
        recState = RELEASED; recLockedAt = 0;
#ifdef BUG_RELEASE_UNTIL_ZERO
        recLockUntil = 0;
#else
        recLockUntil = sent[a].releaseAt;
#endif
#ifndef TICK_MARK_START
        isDone[sent[a].tick] = isDone[sent[a].tick] || sent[a].succeeded;
#ifdef BUG_FAILURE_MARKS_TICK
        recDoneTick = sent[a].tick;
#endif
        endTick(a);
#endif
#if TICKS > 1
        recTick = 0;
#endif
        checkTicks()
      :: else
      fi;
      tidy(a)
    }
  od
}

inline twice() {
  if
  :: copies = 1
  :: duplicates > 0 -> duplicates--; copies = 2
  fi
}

#if DELETES > 0
#define IS_BEING_TOLD_DONE(a) (host[hostOf(a)].attempt == a && host[hostOf(a)].answer == DONE)

/* An operator reads the record, judges it, and deletes what was read, unless it has changed since. */
proctype Operator() {
  byte i;
  do
  :: atomic { deletes > 0 && del.copies == 0 && recState != ABSENT && recState != DELETED ->
      deletes--;
      readDate();
      if
      :: recState != HELD || recLockUntil <= date ->
        del.oldToken = recToken; del.oldUntil = recLockUntil; del.oldState = recState;
        if
        :: del.at = now - SKEW
        :: del.at = now
        :: del.at = now + SKEW
        fi;
        twice();
        del.copies = copies;
        copies = 0
      :: else
      fi;
      date = 0
    }
  :: atomic { del.copies > 0 ->
      del.copies--;
      if
#ifdef BUG_DELETE_WITHOUT_COMPARING
      :: true ->
#else
      :: recToken == del.oldToken && recLockUntil == del.oldUntil && recState == del.oldState ->
#endif
        CHECK(4, recState != HELD || now >= recLockUntil);
        owner = 0;
        recAttempt = 0; recState = DELETED; recLockedAt = 0;
#ifdef BUG_DELETE_DROPS_FENCE
        recLockUntil = 0;
#else
        if
        :: recLockUntil < del.at -> recLockUntil = del.at
        :: else
        fi;
#endif
#ifdef BUG_DELETE_DROPS_TOKEN
        recToken = 0;
#endif
        recDoneTick = 0;
        for (i : 1 .. TICKS) { isDone[i] = 0 }
#if TICKS > 1
        recTick = 0;
#ifndef BUG_DELETE_KEEPS_LISTS
        recOpen = 0; recFailed = 0;
#endif
        for (i : 1 .. TICKS) { hasBegun[i] = 0 }
#endif
        checkTicks();
        for (i : 1 .. N) { forgotten[i] = forgotten[i] || toldDone[i] || IS_BEING_TOLD_DONE(i) }
        i = 0
      :: else
      fi;
      if
      :: del.copies == 0 -> del.oldToken = 0; del.oldUntil = 0; del.oldState = 0; del.at = 0
      :: else
      fi
    }
  od
}
#endif

#if FORCES > 0
/* An operator reads who holds the lock, and ends that run by force, unless the lock was given on or back since. */
proctype Forcer() {
  do
  :: atomic { forces > 0 && force.copies == 0 && recState == HELD ->
      forces--;
      force.oldToken = recToken;
#if TICKS > 1
      force.failed = FAILED_AFTER_CRASH;
#endif
      if
      :: force.fence = now - SKEW
      :: force.fence = now
      :: force.fence = now + SKEW
      fi;
      if
      :: force.fence <= recLockedAt -> force.fence = recLockedAt + 1
      :: else
      fi;
      twice();
      force.copies = copies;
      copies = 0
    }
  :: atomic { force.copies > 0 ->
      force.copies--;
      if
      :: recToken == force.oldToken && recState == HELD ->
        owner = 0;
        recAttempt = 0; recState = FORCED; recLockedAt = 0; recLockUntil = force.fence;
        recToken++; lastToken = recToken;
#if TICKS > 1
#ifndef BUG_FORCE_ADDS_NO_TICK
        recFailed = force.failed;
#endif
        recTick = 0;
#endif
        checkTicks()
      :: else
      fi;
      if
      :: force.copies == 0 -> force.oldToken = 0; force.failed = 0; force.fence = 0
      :: else
      fi
    }
  od
}
#endif

/* --- The clients ------------------------------------------------------------------------------------------------ */

inline forgetAnswer(c) {
  host[c].answer = NONE; host[c].ansAttempt = 0; host[c].ansUntil = 0; host[c].ansState = 0;
#if TICKS > 1
  host[c].ansDone = 0; host[c].ansOpen = 0; host[c].ansFailed = 0;
#endif
  host[c].ansDeadline = 0; host[c].ansLongest = 0
}

inline endAttempt(c) {
  forgetAnswer(c);
  ended = host[c].attempt;
  host[c].attempt = host[c].attempt + CLIENTS;
  host[c].phase = IDLE; host[c].call = NONE; host[c].tries = 0;
  host[c].firstSent = 0; host[c].callSent = 0; host[c].ambiguous = 0;
  host[c].deadline = 0; host[c].longest = 0; host[c].extensions = 0; host[c].fence = 0;
  tidy(ended);
  ended = 0
}

inline await(c, verb) {
  forgetAnswer(c);
  host[c].phase = CALLING; host[c].call = verb; host[c].tries = 1; host[c].callSent = now
}

/* The next try is sent while the silent one is pending. The answer to that one is lost, or the first to be read. */
inline sendBeside(c) {
  if
  :: forgetAnswer(c)
  :: host[c].answer != NONE ->
#ifdef BUG_PENDING_TRY_FORGOTTEN
    host[c].ambiguous = 0;
#endif
#ifdef BUG_TIMED_BY_NEXT_TRY
    if
    :: host[c].ansDeadline > START -> host[c].ansDeadline = host[c].ansDeadline + now - host[c].callSent
    :: else
    fi;
#endif
    skip
  fi;
  host[c].tries++;
  host[c].callSent = now
}

/* The caller is told that it does not run: from now on a grant of this attempt would be an orphan. A request that the
 * network doubles after the answer to it was read is beyond the client's knowledge; see README.md. */
inline giveUp(c) {
#ifndef ANSWERED_DUPLICATES
  if
  :: host[c].ambiguous || DUPLICATES == 0 ->
#endif
  CHECK(8, !(recState == HELD && recAttempt == host[c].attempt) || REMAINDER(host[c].attempt));
  over[host[c].attempt] = 1;
#ifndef ANSWERED_DUPLICATES
  :: else
  fi;
#endif
  endAttempt(c)
}

inline setDeadline(c) {
  host[c].deadline = host[c].ansDeadline;
  host[c].longest = host[c].ansLongest;
#ifdef BUG_DEADLINE_FROM_RESPONSE
  host[c].deadline = host[c].deadline + now - host[c].callSent;
#endif
  forgetAnswer(c);
  host[c].call = NONE; host[c].callSent = 0
}

inline start(c) {
#if TICKS > 1
  sent[host[c].attempt].seenDone = host[c].ansDone;
  sent[host[c].attempt].seenOpen = host[c].ansOpen;
  sent[host[c].attempt].seenFailed = host[c].ansFailed;
#endif
  setDeadline(c);
  host[c].ambiguous = 0; host[c].tries = 0;
  if
  :: now < host[c].deadline ->
    host[c].phase = RUNNING;
    host[c].extensions = EXTENSIONS;
    runners++;
    CHECK(1, FORCES > 0 || runners <= 1)
  :: else -> host[c].phase = ENDING; host[c].deadline = 0; host[c].longest = 0
  fi
}

inline stop(c) {
  runners--;
  forgetAnswer(c);
  host[c].phase = ENDING; host[c].call = NONE; host[c].callSent = 0;
  host[c].deadline = 0; host[c].longest = 0; host[c].extensions = 0
}

/* What follows from `verdict` of an acquire, a takeover or a cancel. */
inline proceed(c) {
#if DELETES > 0
  toldDone[host[c].attempt] = (verdict == DONE);
  forgotten[host[c].attempt] = forgotten[host[c].attempt] && verdict == DONE;
#endif
  if
  :: verdict == GRANTED || verdict == OWN -> start(c)
  :: verdict == EXPIRED && host[c].call == ACQUIRE ->
    sent[host[c].attempt].oldAttempt = host[c].ansAttempt;
    sent[host[c].attempt].oldUntil = host[c].ansUntil;
    sent[host[c].attempt].oldState = host[c].ansState;
#if TICKS > 1
    sent[host[c].attempt].oldFailed = host[c].ansFailed;
#endif
    sent[host[c].attempt].takeoverNow = wall(c);
    host[c].fence = host[c].ansUntil;
    twice();
    sent[host[c].attempt].takeovers = copies;
    await(c, TAKEOVER)
  :: verdict == CANCELLED || verdict == DONE ->
    giveUp(c)
  :: verdict == UNKNOWN && host[c].call == CANCEL -> endAttempt(c) /* the caller is told that nothing is known */
  :: else ->
    if
#if !defined(BUG_NO_CANCEL) && !defined(BUG_NO_OWN_CHECK)
    :: host[c].ambiguous -> twice(); sent[host[c].attempt].cancels = copies; await(c, CANCEL)
#endif
    :: else -> giveUp(c)
    fi
  fi;
  verdict = 0; copies = 0
}

proctype Client(byte c) {
  do
  /* A logical acquire begins at any instant, for any tick. */
  :: atomic { host[c].phase == IDLE && host[c].attempt <= N ->
      if
      :: sent[host[c].attempt].tick = 1
#if TICKS > 1
      :: sent[host[c].attempt].tick = 2
#endif
#if TICKS > 2
      :: sent[host[c].attempt].tick = 3
#endif
      fi;
      host[c].firstSent = now;
      sent[host[c].attempt].acquireNow = wall(c);
      twice();
      sent[host[c].attempt].acquires = copies;
      copies = 0;
      await(c, ACQUIRE)
    }
  :: atomic { host[c].phase == CALLING && host[c].answer != NONE ->
      verdict = host[c].answer;
      proceed(c)
    }
  /* No answer in time, be it that it comes later. */
  :: atomic { host[c].phase == CALLING && now > host[c].callSent ->
      host[c].ambiguous = 1;
      if
      :: host[c].call == ACQUIRE && host[c].tries < TRIES -> sendBeside(c); sent[host[c].attempt].acquires++
      :: host[c].call == TAKEOVER && host[c].tries < TRIES -> sendBeside(c); sent[host[c].attempt].takeovers++
      :: else -> verdict = UNKNOWN; proceed(c)
      fi
    }
  :: atomic { host[c].phase == RUNNING && now > host[c].firstSent ->
      if
      :: sent[host[c].attempt].succeeded = 1
      :: true
      fi;
      stop(c)
    }
  :: atomic { host[c].phase == RUNNING && now >= host[c].deadline -> stop(c) }
#if EXTENSIONS > 0
  :: atomic { host[c].phase == RUNNING && host[c].call == NONE && host[c].extensions > 0 && now < host[c].deadline ->
      host[c].extensions--;
      sent[host[c].attempt].extendUntil = wall(c) + LEASE + PAD;
      twice();
      sent[host[c].attempt].extends = copies;
      copies = 0;
      host[c].call = EXTEND; host[c].callSent = now
    }
  :: atomic { host[c].phase == RUNNING && host[c].answer == EXTENDED && now < host[c].deadline ->
      setDeadline(c)
    }
  :: atomic { host[c].phase == RUNNING && host[c].answer == LOST -> stop(c) }
#endif
  /* A release is sent once or twice and waited for by nobody. It is later than the grant's own first send. */
  :: atomic { host[c].phase == ENDING && now > host[c].firstSent ->
      sent[host[c].attempt].releaseAt = wall(c);
#ifndef BUG_RELEASE_DROPS_FENCE
      if
      :: host[c].fence > wall(c) -> sent[host[c].attempt].releaseAt = host[c].fence
      :: else
      fi;
#endif
      twice();
      sent[host[c].attempt].releases = copies;
      copies = 0;
      over[host[c].attempt] = 1;
      endAttempt(c)
    }
  :: atomic { host[c].phase != IDLE && crashes > 0 ->
      crashes--;
      if
      :: host[c].phase == RUNNING -> runners--
      :: else
      fi;
      sent[host[c].attempt].succeeded = 0;
      endAttempt(c)
    }
  od
}

/* Nothing depends on absolute time but the grain of the Date header, so the first acquire is in the first second. */
#if CLIENTS == 2
#define BEGUN (!IS_FRESH(0) || !IS_FRESH(1))
#else
#define BEGUN (!IS_FRESH(0) || !IS_FRESH(1) || !IS_FRESH(2))
#endif
#define IS_FRESH(c) (host[c].attempt == c + 1 && host[c].phase == IDLE)

/* Time goes by, but not past the deadline of a handler that runs: its signal aborts, and it stops. */
#define MAY_PASS(c) (host[c].phase != RUNNING || now < host[c].deadline)
#if CLIENTS == 2
#define ALL_MAY_PASS (MAY_PASS(0) && MAY_PASS(1))
#else
#define ALL_MAY_PASS (MAY_PASS(0) && MAY_PASS(1) && MAY_PASS(2))
#endif

proctype Time() {
  byte i;
  do
  :: atomic { now < END && ALL_MAY_PASS && (now <= START || BEGUN) ->
      now++;
      for (i : 0 .. CLIENTS - 1) { host[i].firstSent = 0 }
      i = 0
    }
  od
}

/* Hosts of one version that make as many attempts. */
#ifdef OLD_VERSION
#define ARE_ALIKE false
#else
#define ARE_ALIKE (ATTEMPTS % CLIENTS == 0)
#endif

#ifdef ANY_PAST
/* Earlier runs have left any ticks that checkTicks allows, and the last of them may have died with the lock, which is
 * over by now. A tick below the done one that is not listed counts as done: more is checked of it than of one that
 * nobody has begun, and both are refused. */
inline beginLater() {
  recState = RELEASED;
  select(recDoneTick : 0 .. TICKS);
  isDone[recDoneTick] = recDoneTick > 0;
  for (each : 1 .. TICKS) {
    if
    :: each < recDoneTick -> recOpen = recOpen | BIT(each); hasBegun[each] = 1
    :: each < recDoneTick -> isDone[each] = 1
    :: each > recDoneTick -> recFailed = recFailed | BIT(each); hasBegun[each] = 1
    :: each >= recDoneTick
    fi;
#ifdef OLD_VERSION
    if
    :: each <= recDoneTick -> recFailed = recFailed | BIT(each)
    :: true
    fi
#endif
  }
  for (each : 1 .. TICKS) {
    if
    :: recState == RELEASED && IS_OPEN(each) -> recState = HELD; recTick = each; hasBegun[each] = 1
    :: true
    fi
  }
  each = 0
}
#endif

init {
  atomic {
    byte i;
    for (i : 0 .. CLIENTS - 1) {
      host[i].attempt = i + 1;
      /* Where hosts are alike, the first may be the one whose clock is most behind. */
      if
      :: i == 0 || !ARE_ALIKE || host[0].clock == 0 -> host[i].clock = 0
      :: i == 0 || !ARE_ALIKE || host[0].clock <= SKEW -> host[i].clock = SKEW
      :: host[i].clock = 2 * SKEW
      fi
    }
#ifdef ANY_PAST
    beginLater();
#endif
    for (i : 0 .. CLIENTS - 1) { run Client(i) }
    for (i : 1 .. N) { run Line(i) }
    i = 0;
#if DELETES > 0
    run Operator();
#endif
#if FORCES > 0
    run Forcer();
#endif
    run Time()
  }
}
