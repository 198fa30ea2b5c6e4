/** Limits of the threads in which plans are made (ADR 0092). */

/**
 * Most plans of imports and of sets that are made at once. Agents keep a share of two cores. Lambda
 * gives a function one request at a time.
 */
export const PLANS_AT_ONCE = 2
/** Most plans that wait for a slot; further plans are refused at once. */
export const PLANS_WAITING_MAX = 8
/**
 * Longest wait for a slot. After it the plan is refused, so that its request ends within the 29 s
 * of API Gateway.
 */
export const PLAN_WAIT_MS_MAX = 5_000
/**
 * Longest computing time of one request, on the thread's own processor time, so that other work of
 * the machine takes little from it. A document of 1.4 MB takes 2 s. The admin function has 0.29 of
 * a core: 7 s of it pass in 24 s, which leaves time for a start and a refusal before API Gateway's
 * 29 s.
 */
export const PLAN_CPU_MS_MAX = 7_000
/** Time after which the processor time of a thread is read again. */
export const PLAN_CPU_CHECK_MS = 500
/** Longest time of one plan, on the clock: the store may be slow, and a machine may be very busy. */
export const PLAN_MS_MAX = 60_000
/**
 * Largest heap of a thread, in MB. A document of 4 MB takes 150 MB, and the function has 512 MB in
 * all.
 */
export const PLAN_MEMORY_MB_MAX = 256
