/** The revision of HTTP+SSE, apart from its table: the door that opens streams needs no more of it. */
export const VERSION = '2024-11-05'
