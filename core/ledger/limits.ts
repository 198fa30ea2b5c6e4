/** Limits of the ledger, shared by execute, sweep, void and the stream. */

import { DAY_MS } from '../json/utc-time.ts'
import { SETTINGS } from '../settings/table.ts'

/** A hold older than this belongs to a call that died, since a call may take 15 s. */
export const STALE_HOLD_MS = 60_000
/**
 * Seconds from the start of its minute until a sweep entry expires. If nothing sweeps for so long,
 * a hold whose call died waits for its user's next call.
 */
export const SWEEP_ENTRY_TTL_SEC = 86_400
/** Tasks of one user that run at once, beside the calls in flight. */
export const TASKS_MAX = 8
/** Time from the last moment of a task's upstream to its deadline, for the writes that end it. */
export const TASK_END_MS = 30_000
/**
 * Time after its deadline in which only the sweep ends the hold of a job, so that a finished one is
 * charged.
 */
export const JOB_GRACE_MS = 600_000
/** Profiles that one request reads: the keys of one BatchGetItem. */
export const PROFILES_READ_MAX = 100
/** How long after its end a call can be voided. */
export const VOID_WINDOW_MS = 60_000

/** How long the store keeps a call and lists it, unless the operator sets another time. */
export const LEDGER_HOT_MS_DEFAULT = SETTINGS.ledgerHotDays.default * DAY_MS

/** Characters of the reason of a grant or correction. */
export const GRANT_REASON_CHARS_MAX = 200
/** Grants in one page, about 40 kB with their reasons. */
export const GRANTS_PAGE_MAX = 100
export const GRANTS_PAGE_DEFAULT = 20
/** Users in one page of debts: one batch of profiles. */
export const DEBTS_PAGE_MAX = 100
export const DEBTS_PAGE_DEFAULT = 50

/**
 * Keys of one user that may have a budget of their own. Each adds 0.1 kB to the profile, which each
 * call writes twice.
 */
export const KEY_BUDGETS_MAX = 20

/** Keys of one user that may have calls per day. Each adds 0.1 kB to the profile. */
export const KEY_DAYS_MAX = 20
/**
 * The highest limit of calls per day: 694 a minute, around the clock. A larger number is more
 * likely a mistake than a limit.
 */
export const CALLS_PER_DAY_MAX = 1_000_000

/** Calls in one page of a user's ledger, well under the 1 MB that the store returns per read. */
export const LEDGER_PAGE_MAX = 100
export const LEDGER_PAGE_DEFAULT = 20
