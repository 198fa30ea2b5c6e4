/** Method names that several revisions and several Lambda functions share. */

export const INITIALIZE_METHOD = 'initialize'
export const LIST_METHOD = 'tools/list'
export const CALL_METHOD = 'tools/call'
export const CANCELLED_METHOD = 'notifications/cancelled'
export const LIST_CHANGED_METHOD = 'notifications/tools/list_changed'
