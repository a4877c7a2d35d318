/*
 * The lock protocol on DynamoDB (docs/protocol.md) as a model for Spin: one record, clients with wrong clocks that may
 * crash, and a network that loses, delays, doubles and reorders. It checks safety and orphans; see README.md for what
 * it leaves out. BUG_… macros break one rule each, bounds are macros too. With ANY_PAST the record begins as any
 * earlier runs may have left its ticks. With EXPECTED_EVERY_TICK a success also lists the ticks that never came. With
 * MARKS a run catches up: in mode "all", or with CATCH_UP_LATEST in mode "latest". It may stop after any mark, and leave
 * the rest open.
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
#ifndef MARKS
#define MARKS 0        /* open ticks that one run may catch up with, up to 2 */
#endif
#ifndef DELETES
#define DELETES 0      /* deletes by an operator, in all */
#endif
#ifndef FORCES
#define FORCES 0       /* force releases by an operator, in all; a handler may then run on, so overlaps are not checked */
#endif
#ifndef LISTINGS
#define LISTINGS 0     /* operators who each list one tick, or take one off, once */
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
#ifndef LEASE
#define LEASE 3        /* a run that catches up needs a longer one: each handler lasts a unit at least */
#endif
#ifndef ONLY
#define ONLY 0         /* the one invariant to check, by its number; 0 checks all */
#endif

#define SECOND 2       /* units of the Date header's grain */
#define STALE  1       /* units by which a Date header may be late, beside its truncation */
#define SLOP   2       /* truncation loses at most 1 unit of integer time, staleness 1: server time <= Date + SLOP */
#define PAD    SLOP
#define GUARD  1       /* the smallest: a handler may run within the very unit of its deadline, not after it */
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
#define MARK     5

#define GRANTED   1   /* applied just now */
#define OWN       2   /* refused, and the record is this attempt's and held */
#define REFUSED   3   /* locked */
#define EXPIRED   4   /* somebody else's, and over by the Date of this very answer */
#define FAILED    5   /* anything else */
#define CANCELLED 6
#define EXTENDED  7   /* now or by an earlier try, as is a mark */
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
#define LOWEST(list)  ((list) & BIT(1) -> 1 : ((list) & BIT(2) -> 2 : 3))
#define HIGHEST(list) ((list) & BIT(3) -> 3 : ((list) & BIT(2) -> 2 : 1))
#define IS_LISTED(tick) ((recOpen & BIT(tick)) != 0)
#else
#define IS_LISTED(tick) false
#endif

#if MARKS > 0
/* A mark on its way: how many copies, its tick, and what it writes. */
typedef Mark { byte copies, tick, until, doneTick, open, failed; }
#endif

/* Requests on their way, a slot for each attempt and verb: how many copies, and what they carry. A copy that never
 * arrives is lost, one that arrives after the call is late, and nothing orders them. */
typedef Sent {
  byte acquires, acquireNow;
  byte takeovers, takeoverNow, oldAttempt, oldUntil, oldState;
  byte cancels;
  byte extends, extendUntil;
  byte releases, releaseAt;
  byte token;                                  /* of the grant that its client knows of */
  bit succeeded;
  byte tick;
#if TICKS > 1
  byte oldFailed;                              /* the list that a takeover from a holder writes */
  byte seenDone, seenOpen, seenFailed;         /* what the grant or its last mark brought back; the release rests on
                                                * it alone */
#endif
#if MARKS > 0
  Mark marks[MARKS];
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
  byte ansToken;
#if TICKS > 1
  byte ansDone, ansOpen, ansFailed;
#endif
  byte ansDeadline, ansLongest;                /* what the answer makes of the two below */
  byte deadline, longest, extensions;          /* of the grant: when the handler must stop; L of the protocol */
#if MARKS > 0
  byte marked;                                 /* marks that were answered */
#endif
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

#if LISTINGS > 0
/* A listing on its way: how many copies, what it has read, its tick, and the lists that it writes. */
typedef Listing { byte copies, oldToken, oldDone, oldOpen, oldFailed, tick, open, failed; }
Listing listings[LISTINGS];
#endif

/* Operators may open a tick that was refused as done or stale. */
#if DELETES > 0 || LISTINGS > 0
#define REOPENING
#endif

/* Operators may end a run in place of its own release. */
#if FORCES > 0 || DELETES > 0
#define OPERATORS
#endif

/* What the checks remember; the protocol reads none of it. */
byte runners, owner, lastToken;
bit over[N + 1];       /* its caller was told an end: skipped, failed for sure, or ran */
bit wasBarred[N + 1];
bit isDone[TICKS + 1]; /* a success of the tick was recorded */
#if TICKS > 1
bit hasBegun[TICKS + 1]; /* it was granted or listed by an operator; no run of an old version has passed it over, and
                          * no operator has taken it off since */
#endif
#ifdef OPERATORS
byte fenceBefore;      /* the lockUntil that the latest grant took the place of */
byte fenceGone;        /* the highest one that an operator's write has put back */
#endif
#ifdef REOPENING
bit toldDone[N + 1];   /* its caller was told that the tick is done or stale */
bit reopened[N + 1];   /* a delete has forgotten that tick since, or a listing has listed it */
#define IS_BEING_TOLD_DONE(a) (host[hostOf(a)].attempt == a && host[hostOf(a)].answer == DONE)
#endif

/* Of one step only, hence not part of the state. */
hidden byte verdict, date, copies, own, each, failedBefore, doneAfter, openAfter, failedAfter;
hidden int deadlineAt, capAt, anchor;

#define hostOf(a)  ((a - 1) % CLIENTS)
#define wall(c)    (now + host[c].clock - SKEW)
#define mono(c, w) (w + SKEW - host[c].clock)

#define AWAITED_MARK(c) sent[host[c].attempt].marks[host[c].marked]

/* --- The server ------------------------------------------------------------------------------------------------- */

inline readDate() {
  if
  :: date = (now / SECOND) * SECOND
  :: date = ((now - STALE) / SECOND) * SECOND
  fi
}

/* A done tick of 0 is none. */
#if defined(TICK_MARK_START) && !defined(BUG_START_LOOKS_INTO_LIST)
#define MAY_BE_LISTED(a) false
#else
#define MAY_BE_LISTED(a) IS_LISTED(sent[a].tick)
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

/* The known remainders within these bounds: a late grant that nobody runs under, once its bar was overwritten, once an
 * operator has ended a successor whose clock was behind and put back the fence that would have refused it, or once an
 * operator has opened its tick. */
#ifdef NO_REMAINDER_A
#define REMAINDER_A(a) false
#else
#define REMAINDER_A(a) (wasBarred[a] && recBarred != a)
#endif
#if defined(REOPENING) && !defined(NO_REMAINDER_D)
#define REMAINDER_D(a) (reopened[a])
#else
#define REMAINDER_D(a) false
#endif
#if defined(OPERATORS) && !defined(NO_REMAINDER_B)
#define REMAINDER_B(a) (sent[a].acquireNow < fenceGone)
#else
#define REMAINDER_B(a) false
#endif
#define REMAINDER(a) (REMAINDER_A(a) || REMAINDER_B(a) || REMAINDER_D(a))

#ifdef OPERATORS
/* An operator's write has ended the latest grant: its fence may lie before the one which that grant replaced. */
inline noteFenceGone() {
  if
  :: recLockUntil < fenceBefore && fenceGone < fenceBefore -> fenceGone = fenceBefore
  :: else
  fi
}
#endif

#if TICKS > 1
/* Holds after every write. An open tick is one that a grant would still take; 14 shows that ANY_PAST is complete. */
#define IS_OPEN(tick) (recDoneTick < tick || IS_LISTED(tick))
#define IS_KEPT(tick) (IS_LISTED(tick) || (recFailed & BIT(tick)) != 0 || (recState == HELD && recTick == tick))

inline checkTicks() {
  CHECK(13, (recOpen & ~BELOW(recDoneTick)) == 0);
  for (each : 1 .. TICKS) {
    CHECK(3, !isDone[each] || !IS_OPEN(each));
#ifndef TICK_MARK_START
    CHECK(12, !hasBegun[each] || isDone[each] || IS_OPEN(each));
#if defined(EXPECTED_EVERY_TICK) && !defined(CATCH_UP_LATEST)
    CHECK(16, isDone[each] || IS_OPEN(each));
#endif
    CHECK(14, !hasBegun[each] || isDone[each] || IS_KEPT(each));
#endif
#if !defined(TICK_MARK_START) && MARKS == 0
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
#ifdef OPERATORS
  fenceBefore = recLockUntil;
#endif
  recAttempt = a; recState = HELD; recLockedAt = at; recLockUntil = at + LEASE + PAD;
#ifndef BUG_TOKEN_NOT_RAISED
  recToken++;
#endif
#ifdef TICK_MARK_START
  setDoneTick(sent[a].tick); isDone[sent[a].tick] = 1;
#endif
#if TICKS > 1
  recTick = sent[a].tick;
  hasBegun[sent[a].tick] = 1;
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
#if MARKS > 0
  :: verb == MARK -> anchor = mono(c, AWAITED_MARK(c).until) - PAD - LEASE
#endif
  :: verb != EXTEND && verb != MARK -> anchor = mono(c, recLockedAt)
  fi;
  deadlineAt = anchor + LEASE;
#if EXTENSIONS > 0 || MARKS > 0
  if
  :: (verb == EXTEND || verb == MARK) && host[c].longest > deadlineAt -> deadlineAt = host[c].longest
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
      host[hostOf(a)].ansToken = recToken;
#if TICKS > 1
      if
      :: verb == EXTEND || verb == MARK
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

#if MARKS == 0
#define NO_MARKS(a) true
#elif MARKS == 1
#define NO_MARKS(a) (sent[a].marks[0].copies == 0)
#else
#define NO_MARKS(a) (sent[a].marks[0].copies == 0 && sent[a].marks[1].copies == 0)
#endif

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
#ifdef REOPENING
        toldDone[a] = 0; reopened[a] = 0;
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
#if MARKS > 0
  for (each : 0 .. MARKS - 1) {
    if
    :: sent[a].marks[each].copies == 0 &&
       (host[hostOf(a)].attempt != a || host[hostOf(a)].call != MARK || host[hostOf(a)].marked != each) ->
      sent[a].marks[each].tick = 0; sent[a].marks[each].until = 0;
      sent[a].marks[each].doneTick = 0; sent[a].marks[each].open = 0; sent[a].marks[each].failed = 0
    :: else
    fi
  }
  each = 0;
#endif
  if
  :: sent[a].releases == 0 && host[hostOf(a)].attempt > a ->
    sent[a].releaseAt = 0; sent[a].succeeded = 0;
#if TICKS > 1
    sent[a].seenDone = 0; sent[a].seenOpen = 0; sent[a].seenFailed = 0;
#endif
    if
    :: NO_MARKS(a) -> sent[a].token = 0
    :: else
    fi
  :: else
  fi;
  if
  :: sent[a].extends == 0 -> sent[a].extendUntil = 0
  :: else
  fi
}

#if TICKS > 1
/* A takeover from a holder adds the tick of that run. */
inline addCrashed(a) {
#ifdef BUG_CRASHED_TICK_NOT_BROUGHT_BACK
  failedBefore = recFailed;
#endif
  if
#ifndef BUG_TAKEOVER_ADDS_NO_TICK
  :: sent[a].oldState == HELD -> recFailed = sent[a].oldFailed
#endif
  :: else
  fi
}

#ifdef BUG_DONE_FAILURES_CARRIED_OVER
#define FAILED_BEFORE(a) sent[a].seenFailed
#else
#define FAILED_BEFORE(a) (sent[a].seenFailed & ABOVE(sent[a].seenDone))
#endif

/* Ticks that become open when a newer one is done by its own run; a mark lists those that failed alone. */
#ifdef EXPECTED_EVERY_TICK
#define PASSED(a) (FAILED_BEFORE(a) | ABOVE(sent[a].seenDone))
#else
#define PASSED(a) FAILED_BEFORE(a)
#endif

/* What the success of a tick makes of the ticks: whole lists, of what the grant or its last mark brought back. */
inline succeed(a, done, passed) {
  if
  :: done > sent[a].seenDone ->
    doneAfter = done;
    openAfter = sent[a].seenOpen | (passed & BELOW(done));
    failedAfter = FAILED_BEFORE(a) & ABOVE(done)
  :: else ->
#ifdef BUG_DONE_TICK_FALLS
    doneAfter = done;
#else
    doneAfter = sent[a].seenDone;
#endif
#ifdef BUG_DONE_TICK_STAYS_LISTED
    openAfter = sent[a].seenOpen;
#else
    openAfter = sent[a].seenOpen & ~BIT(done);
#endif
    failedAfter = FAILED_BEFORE(a) & ABOVE(sent[a].seenDone)
  fi
}

inline writeTicks(toDone, toOpen, toFailed) {
  setDoneTick(toDone);
  recOpen = toOpen;
  recFailed = toFailed
}

inline endTick(a) {
  if
  :: sent[a].succeeded ->
    succeed(a, sent[a].tick, PASSED(a));
    writeTicks(doneAfter, openAfter, failedAfter);
    doneAfter = 0; openAfter = 0; failedAfter = 0
#ifndef BUG_FAILURE_ADDS_NO_TICK
  :: !sent[a].succeeded && sent[a].tick > sent[a].seenDone ->
#ifdef BUG_FAILURE_WRITES_DONE_TICK
    setDoneTick(sent[a].seenDone);
#endif
#ifdef BUG_FAILURE_WRITES_OPEN_TICKS
    recOpen = sent[a].seenOpen;
#endif
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

#if MARKS > 0
#ifdef BUG_MARK_OF_ANY_TICK
#define MARK_OPEN(a, i) true
#else
#define MARK_OPEN(a, i) IS_OPEN(sent[a].marks[i].tick)
#endif

#ifdef BUG_MARK_WITHOUT_HELD
#define IS_MARKERS(a) (recAttempt == a && recToken == sent[a].token)
#else
#define IS_MARKERS(a) (recAttempt == a && recState == HELD && recToken == sent[a].token)
#endif

/* A copy of the i-th mark of attempt a arrives. */
inline arriveMark(a, i) {
  sent[a].marks[i].copies--;
  readDate();
  if
  :: IS_MARKERS(a) && MARK_OPEN(a, i) ->
    CHECK(4, owner == a);
    isDone[sent[a].marks[i].tick] = 1;
#ifndef BUG_MARK_MOVES_NO_LOCK_UNTIL
    recLockUntil = sent[a].marks[i].until;
#endif
    writeTicks(sent[a].marks[i].doneTick, sent[a].marks[i].open, sent[a].marks[i].failed);
    checkTicks();
#ifndef CATCH_UP_LATEST
    CHECK(17, (recOpen & BELOW(sent[a].marks[i].tick)) == 0);
#endif
    verdict = EXTENDED
  :: IS_MARKERS(a) && !MARK_OPEN(a, i) -> verdict = EXTENDED
  :: else -> verdict = LOST
  fi;
  if
  :: host[hostOf(a)].marked == i -> reply(a, MARK, sent[a].marks[i].copies)
  :: else -> verdict = 0; date = 0
  fi;
  tidy(a)
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
#if MARKS > 0
  :: atomic { sent[a].marks[0].copies > 0 -> arriveMark(a, 0) }
#endif
#if MARKS > 1
  :: atomic { sent[a].marks[1].copies > 0 -> arriveMark(a, 1) }
#endif
  :: atomic { sent[a].releases > 0 ->
      sent[a].releases--;
      if
#ifdef BUG_RELEASE_OF_ANY_GRANT
      :: recState == HELD ->
#elif defined(BUG_RELEASE_WITHOUT_TOKEN)
      :: recState == HELD && recAttempt == a ->
#else
      :: recState == HELD && recAttempt == a && recToken == sent[a].token ->
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
        noteFenceGone();
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
        for (i : 1 .. N) { reopened[i] = reopened[i] || toldDone[i] || IS_BEING_TOLD_DONE(i) }
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
        noteFenceGone();
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

#if LISTINGS > 0
#ifdef BUG_LISTING_WHILE_HELD
#define HAS_ENDED true
#else
#define HAS_ENDED (recState == RELEASED || recState == FORCED)
#endif

#ifdef BUG_LISTING_WITHOUT_TOKEN
#define SEEN_TOKEN(i) true
#else
#define SEEN_TOKEN(i) (recToken == listings[i].oldToken)
#endif

#ifdef BUG_LISTING_WITHOUT_DONE_TICK
#define SEEN_DONE_TICK(i) true
#else
#define SEEN_DONE_TICK(i) (recDoneTick == listings[i].oldDone)
#endif

#ifdef BUG_LISTING_WITHOUT_LISTS
#define SEEN_LISTS(i) true
#else
#define SEEN_LISTS(i) (recOpen == listings[i].oldOpen && recFailed == listings[i].oldFailed)
#endif

/* The i-th operator reads a lock that nobody holds, and lists a tick that is not done, or takes it off if it is listed,
 * unless the record has changed since. */
proctype Lister(byte i) {
  byte a;
  atomic { HAS_ENDED ->
    listings[i].oldToken = recToken; listings[i].oldDone = recDoneTick;
    listings[i].oldOpen = recOpen; listings[i].oldFailed = recFailed;
    listings[i].open = recOpen; listings[i].failed = recFailed & ABOVE(recDoneTick);
    select(a : 1 .. TICKS);
    if
    :: a < recDoneTick && !isDone[a] -> listings[i].open = listings[i].open ^ BIT(a); twice()
    :: a > recDoneTick -> listings[i].failed = listings[i].failed ^ BIT(a); twice()
    :: else
    fi;
    listings[i].tick = a;
    listings[i].copies = copies;
    copies = 0;
    a = 0
  }
  do
  :: atomic { listings[i].copies > 0 ->
      listings[i].copies--;
      if
      :: HAS_ENDED && SEEN_TOKEN(i) && SEEN_DONE_TICK(i) && SEEN_LISTS(i) ->
        recOpen = listings[i].open; recFailed = listings[i].failed;
        hasBegun[listings[i].tick] = ((recOpen | recFailed) & BIT(listings[i].tick)) != 0;
        checkTicks();
        for (a : 1 .. N) {
          reopened[a] = reopened[a] || (IS_LISTED(listings[i].tick) && sent[a].tick == listings[i].tick &&
                                        (toldDone[a] || IS_BEING_TOLD_DONE(a)))
        }
        a = 0
      :: else
      fi;
      if
      :: listings[i].copies == 0 ->
        listings[i].oldToken = 0; listings[i].oldDone = 0; listings[i].oldOpen = 0; listings[i].oldFailed = 0;
        listings[i].tick = 0; listings[i].open = 0; listings[i].failed = 0
      :: else
      fi
    }
  od
}
#endif

/* --- The clients ------------------------------------------------------------------------------------------------ */

inline forgetAnswer(c) {
  host[c].answer = NONE; host[c].ansAttempt = 0; host[c].ansUntil = 0; host[c].ansState = 0; host[c].ansToken = 0;
#if TICKS > 1
  host[c].ansDone = 0; host[c].ansOpen = 0; host[c].ansFailed = 0;
#endif
  host[c].ansDeadline = 0; host[c].ansLongest = 0
}

inline endAttempt(c) {
  forgetAnswer(c);
  own = host[c].attempt;
  host[c].attempt = host[c].attempt + CLIENTS;
  host[c].phase = IDLE; host[c].call = NONE; host[c].tries = 0;
  host[c].firstSent = 0; host[c].callSent = 0; host[c].ambiguous = 0;
  host[c].deadline = 0; host[c].longest = 0; host[c].extensions = 0; host[c].fence = 0;
#if MARKS > 0
  host[c].marked = 0;
#endif
  tidy(own);
  own = 0
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
  sent[host[c].attempt].token = host[c].ansToken;
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
  host[c].deadline = 0; host[c].longest = 0; host[c].extensions = 0;
#if MARKS > 0
  host[c].marked = 0; host[c].tries = 0
#endif
}

#if MARKS > 0
/* The open ticks below its own that a run knows of: all that are due, or those that were listed or failed. */
#define KNOWN_OPEN(a) ((sent[a].seenOpen | PASSED(a)) & BELOW(sent[a].tick))
#if defined(CATCH_UP_LATEST) || defined(BUG_NEWEST_MARKED_FIRST)
#define NEXT_OPEN(a) HIGHEST(KNOWN_OPEN(a))
#else
#define NEXT_OPEN(a) LOWEST(KNOWN_OPEN(a))
#endif

#ifdef BUG_MARK_ADDS_NO_TICK
#define PASSED_BY_MARK(a) 0
#else
#define PASSED_BY_MARK(a) FAILED_BEFORE(a)
#endif

/* The handler has done an open tick, which took it a unit at least. The run marks it before it goes on. */
inline sendMark(c) {
  own = host[c].attempt;
  AWAITED_MARK(c).tick = NEXT_OPEN(own);
  CHECK(3, FORCES > 0 || !isDone[AWAITED_MARK(c).tick]);
  AWAITED_MARK(c).until = wall(c) + LEASE + PAD;
  succeed(own, AWAITED_MARK(c).tick, PASSED_BY_MARK(own));
  AWAITED_MARK(c).doneTick = doneAfter;
  AWAITED_MARK(c).open = openAfter;
  AWAITED_MARK(c).failed = failedAfter;
  doneAfter = 0; openAfter = 0; failedAfter = 0;
  twice();
  AWAITED_MARK(c).copies = copies;
  copies = 0;
  own = 0;
  host[c].firstSent = now;
  host[c].call = MARK; host[c].tries = 1; host[c].callSent = now
}

/* The mark is applied: the next one and the release are made from what it wrote. */
inline goOn(c) {
  own = host[c].attempt;
#ifndef BUG_MARKS_MADE_FROM_GRANT
  sent[own].seenDone = AWAITED_MARK(c).doneTick;
  sent[own].seenOpen = AWAITED_MARK(c).open;
  sent[own].seenFailed = AWAITED_MARK(c).failed;
#endif
  setDeadline(c);
  host[c].tries = 0;
  host[c].marked++;
  tidy(own);
  own = 0
}
#endif

/* What follows from `verdict` of an acquire, a takeover or a cancel. */
inline proceed(c) {
#ifdef REOPENING
  toldDone[host[c].attempt] = (verdict == DONE);
  reopened[host[c].attempt] = reopened[host[c].attempt] && verdict == DONE;
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
  :: atomic { host[c].phase == RUNNING && now > host[c].firstSent && host[c].call != MARK ->
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
  :: atomic { host[c].phase == RUNNING && host[c].call == EXTEND && host[c].answer == EXTENDED &&
              now < host[c].deadline ->
      setDeadline(c)
    }
#endif
#if EXTENSIONS > 0 || MARKS > 0
  :: atomic { host[c].phase == RUNNING && host[c].answer == LOST -> stop(c) }
#endif
#if MARKS > 0
  :: atomic { host[c].phase == RUNNING && host[c].call == NONE && host[c].marked < MARKS && now > host[c].firstSent &&
              now < host[c].deadline && KNOWN_OPEN(host[c].attempt) != 0 ->
      sendMark(c)
    }
  :: atomic { host[c].phase == RUNNING && host[c].call == MARK && host[c].answer == EXTENDED &&
              now < host[c].deadline ->
      goOn(c)
    }
  /* No answer in time. A mark that stays unanswered ends the run as failed. */
  :: atomic { host[c].phase == RUNNING && host[c].call == MARK && now > host[c].callSent && now < host[c].deadline ->
      if
      :: host[c].tries < TRIES -> sendBeside(c); AWAITED_MARK(c).copies++
#ifdef BUG_MARK_NOT_AWAITED
      :: else -> forgetAnswer(c); host[c].call = NONE; host[c].callSent = 0; host[c].tries = 0; host[c].marked++
#else
      :: else -> stop(c)
#endif
      fi
    }
#if EXTENSIONS > 0
  /* An extension that stays unanswered changes nothing. */
  :: atomic { host[c].phase == RUNNING && host[c].call == EXTEND && now > host[c].callSent ->
      forgetAnswer(c); host[c].call = NONE; host[c].callSent = 0
    }
#endif
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

/* Hosts that make as many attempts. */
#define ARE_ALIKE (ATTEMPTS % CLIENTS == 0)

#ifdef ANY_PAST
/* Earlier runs have left any ticks that checkTicks allows, and the last of them may have died with the lock, which is
 * over by now. A tick below the done one that is not listed counts as done: more is checked of it than of one that
 * nobody has begun, and both are refused. Only an operator can list the latter. */
inline beginLater() {
  recState = RELEASED;
  select(recDoneTick : 0 .. TICKS);
  isDone[recDoneTick] = recDoneTick > 0;
  for (each : 1 .. TICKS) {
    if
    :: each < recDoneTick -> recOpen = recOpen | BIT(each); hasBegun[each] = 1
    :: each < recDoneTick -> isDone[each] = 1
#if LISTINGS > 0
    :: each < recDoneTick
#endif
    :: each > recDoneTick -> recFailed = recFailed | BIT(each); hasBegun[each] = 1
    :: each >= recDoneTick
    fi;
#if MARKS > 0
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
#if LISTINGS > 0
    for (i : 0 .. LISTINGS - 1) { run Lister(i) }
    i = 0;
#endif
    run Time()
  }
}
