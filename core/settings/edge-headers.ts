/**
 * Headers of requests that come through the edge, which the distribution sets whatever a client
 * sends. No door passes them on or logs them.
 */

/** Proves that a request came through the edge (core/access/origin-secret.ts). */
export const ORIGIN_SECRET_HEADER = 'x-origin-secret'
/** The address of the client. */
export const VIEWER_ADDRESS_HEADER = 'x-viewer-address'
