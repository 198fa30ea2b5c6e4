/**
 * The last lines of a deploy: of all outputs, most of which are for scripts or for other stacks, the few that a
 * person needs. Reads the file that `cdk deploy --outputs-file` writes.
 */

/**
 * The outputs that a person needs, out of many for scripts and other stacks. `path` follows the
 * value; a function URL ends in a slash.
 */
const SHOWN: readonly (readonly [label: string, output: string, path: string])[] = [
  ['agents', 'McpUrl', ''],
  ['agents, HTTP+SSE', 'SseUrl', 'v1/mcp/sse'],
  ['REST', 'ExecuteUrl', 'v1/execute'],
  ['administrators', 'AdminUrl', ''],
  ['their key, in Secrets Manager', 'AdminSecretId', ''],
]

const GATEWAY_STACK = /^Skillgate-(\w+)-Gateway$/

/** Returns the last lines of a deploy; none if the gateway's stack was not deployed. */
export function summaryOf(outputsJson: string): readonly string[] {
  const stacks = fieldsOf(JSON.parse(outputsJson))
  return Object.entries(stacks).flatMap(([stack, outputs]) => {
    const stage = GATEWAY_STACK.exec(stack)?.[1]
    if (stage === undefined) return []
    const width = Math.max(...SHOWN.map(([label]) => label.length))
    const values = fieldsOf(outputs)
    const lines = SHOWN.flatMap(([label, output, path]) => {
      const value = values[output]
      return typeof value === 'string' ? [`  ${label.padEnd(width)}  ${value}${path}`] : []
    })
    return [`Skillgate ${stage} is deployed:`, ...lines]
  })
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
