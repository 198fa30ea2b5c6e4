/**
 * Reads the outputs of the gateway's stack and formats the lines that a person needs after a
 * deploy. Reads the file that `cdk deploy --outputs-file` writes.
 */
import type { FirstUser } from './first-user.ts'

export type StageOutputs = {
  readonly stage: string
  readonly adminUrl: string
  readonly mcpUrl: string
  readonly sseUrl: string
  readonly adminSecretId: string
  readonly canarySecretId: string
  readonly executeUrl: string
}

const GATEWAY_STACK = /^Skillgate-([a-z][a-z0-9-]*)-Gateway$/

/** Returns undefined if the gateway's stack was not deployed. */
export function readOutputs(outputsJson: string): StageOutputs | undefined {
  const stacks: { [stack: string]: { [output: string]: string } } = JSON.parse(outputsJson)
  for (const [stack, outputs] of Object.entries(stacks)) {
    const stage = GATEWAY_STACK.exec(stack)?.[1]
    const { AdminSecretId, AdminUrl, CanarySecretId, ExecuteUrl, McpUrl, SseUrl } = outputs
    if (stage === undefined || !AdminSecretId || !AdminUrl || !McpUrl || !SseUrl) continue
    if (!CanarySecretId || !ExecuteUrl) continue
    return {
      stage,
      mcpUrl: McpUrl,
      sseUrl: SseUrl,
      adminSecretId: AdminSecretId,
      canarySecretId: CanarySecretId,
      executeUrl: ExecuteUrl,
      adminUrl: AdminUrl.replace(/\/+$/, ''),
    }
  }
  return undefined
}

/**
 * Returns the lines that show the first key and how to administer the stage and connect an agent.
 */
export function formatConnectLines(
  { adminSecretId, adminUrl, mcpUrl, stage }: StageOutputs,
  { key, uid }: FirstUser,
): readonly string[] {
  const user =
    key === undefined
      ? ['The stage has users; skillgate keys issue UID makes a key.']
      : [
          `The first user is ${uid}. The key is shown only now: only its hash is stored.`,
          `  ${key}`,
        ]
  return [
    ...user,
    'Administer it (the first line asks for the admin key):',
    `  skillgate login ${adminUrl} --name ${stage} --mcp-url ${mcpUrl}`,
    `  aws secretsmanager get-secret-value --secret-id ${adminSecretId} --query SecretString --output text`,
    'Connect an agent:',
    `  export SKILLGATE_KEY=${key ?? 'sgk_…'}`,
    `  skillgate connect claude-code --profile ${stage}`,
  ]
}

/**
 * The outputs that a person needs, out of many for scripts and other stacks. `path` follows the
 * value; a function URL ends in a slash.
 */
const SHOWN_OUTPUTS: readonly (readonly [label: string, output: string, path: string])[] = [
  ['agents', 'McpUrl', ''],
  ['agents, HTTP+SSE', 'SseUrl', 'v1/mcp/sse'],
  ['REST', 'ExecuteUrl', 'v1/execute'],
  ['console, in a browser', 'ConsoleUrl', ''],
  ['administrators', 'AdminUrl', ''],
  ['their key, in Secrets Manager', 'AdminSecretId', ''],
]

/** Returns the last lines of a deploy; none if the gateway's stack was not deployed. */
export function formatDeploySummary(outputsJson: string): readonly string[] {
  const stacks = fieldsOf(JSON.parse(outputsJson))
  return Object.entries(stacks).flatMap(([stack, outputs]) => {
    const stage = GATEWAY_STACK.exec(stack)?.[1]
    if (stage === undefined) return []
    const width = Math.max(...SHOWN_OUTPUTS.map(([label]) => label.length))
    const values = fieldsOf(outputs)
    const lines = SHOWN_OUTPUTS.flatMap(([label, output, path]) => {
      const value = values[output]
      return typeof value === 'string' ? [`  ${label.padEnd(width)}  ${value}${path}`] : []
    })
    return [`Skillgate ${stage} is deployed:`, ...lines]
  })
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
