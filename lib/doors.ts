/** The doors that are deployed: one folder of lambdas/, one bundle in dist/, one function each. */

export const DOORS = ['sse', 'messages', 'mcp', 'execute', 'admin', 'sweep'] as const

export type Door = (typeof DOORS)[number]
