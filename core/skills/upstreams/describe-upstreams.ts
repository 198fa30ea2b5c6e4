/** Says what an administrator must do about MCP servers, for `doctor` and for GET health. */

/** What the list of upstreams shows of one; `held` counts tools whose calls are refused. */
export type UpstreamFacts = {
  readonly id: string
  readonly state: string
  readonly held: number
  readonly lastFailure: string
}

/** Returns sentences, the worst first; none if nothing is wrong. */
export function findUpstreamFaults({
  held,
  id,
  lastFailure,
  state,
}: UpstreamFacts): readonly string[] {
  const tools = held === 1 ? '1 tool waits' : `${held} tools wait`
  return [
    ...(state === 'stale'
      ? [`${id} gives no list (${lastFailure}) See skillgate upstreams show ${id}.`]
      : []),
    ...(state === 'deleting' ? [`${id} is deleted in part: skillgate upstreams rm ${id}.`] : []),
    ...(held > 0 ? [`${tools} at ${id}: skillgate upstreams show ${id}.`] : []),
  ]
}

/** Returns one line about servers without a fault. */
export function describeUpstreams(servers: number): string {
  if (servers === 0) return 'there is no MCP server'
  return `${servers === 1 ? '1 MCP server' : `${servers} MCP servers`}; no call of a tool is held`
}

/** Returns one line about faults: the first one, and how many more there are. */
export function joinUpstreamFaults([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} ${more.length} more: skillgate upstreams ls.`
}
