/** Method names that more than one revision and more than one door must know. */

export const CALL_METHOD = 'tools/call'
export const CANCELLED_METHOD = 'notifications/cancelled'
