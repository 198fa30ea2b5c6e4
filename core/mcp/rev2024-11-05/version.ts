/** The version of HTTP+SSE in a file of its own: the door that opens streams needs only this. */
export const VERSION = '2024-11-05'
