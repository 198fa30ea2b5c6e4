/** Limits of the threads in which plans are made (ADR 0092). */

/** Plans of imports and of sets at once: agents keep a share of two cores. Lambda gives a function one request at a time. */
export const PLANS_AT_ONCE = 2
/** Plans that wait for a place; further ones are refused at once. */
export const PLANS_WAITING_MAX = 8
/** A plan that waited this long is refused, so that its request can still end within the 29 s of API Gateway. */
export const PLAN_WAIT_MS_MAX = 5_000
/**
 * Computing of one request, without the time in which an apply writes. A document of 1.4 MB takes 2 s of a core; the admin
 * function has a third of one.
 */
export const PLAN_MS_MAX = 15_000
/** Heap of a thread: a document of 4 MB takes 150 MB, and the function has 512 MB in all. */
export const PLAN_MEMORY_MB_MAX = 256
