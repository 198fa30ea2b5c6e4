/**
 * The deployed functions. Each has a folder in lambdas/, a bundle in dist/ and a Lambda function.
 */

export const DOORS = ['sse', 'messages', 'mcp', 'execute', 'admin', 'sweep', 'usage'] as const

export type Door = (typeof DOORS)[number]
