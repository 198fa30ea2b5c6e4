/** The last lines of `npm run deploy`. */
import { expect, test } from 'vitest'
import { formatDeploySummary } from '../../../../cli/clone/deploy/outputs.ts'
import { getStage } from '../../../../lib/stages.ts'
import { synthesize } from '../../../lib/synthesized.ts'

const { gateway, watch } = synthesize(getStage('dev'))
const valued = (outputs: object) =>
  Object.fromEntries(Object.keys(outputs).map((name) => [name, `https://${name}/`]))

test('the last lines of a deploy are the addresses and the secret that a person needs', () => {
  const outputs = {
    'Skillgate-dev-Gateway': valued(gateway.Outputs),
    'Skillgate-dev-Watch': valued(watch.Outputs),
  }
  expect(formatDeploySummary(JSON.stringify(outputs))).toEqual([
    'Skillgate dev is deployed:',
    '  agents                         https://McpUrl/',
    '  agents, HTTP+SSE               https://SseUrl/v1/mcp/sse',
    '  REST                           https://ExecuteUrl/v1/execute',
    '  console, in a browser          https://ConsoleUrl/',
    '  administrators                 https://AdminUrl/',
    '  their key, in Secrets Manager  https://AdminSecretId/',
  ])
})

test('the stage of the last lines may have a hyphen', () => {
  const outputs = { 'Skillgate-prod-eu-Gateway': { McpUrl: 'https://mcp/' } }
  expect(formatDeploySummary(JSON.stringify(outputs))[0]).toBe('Skillgate prod-eu is deployed:')
})

test('a deploy without the gateway has no such lines', () => {
  expect(
    formatDeploySummary(JSON.stringify({ 'Skillgate-dev-Watch': valued(watch.Outputs) })),
  ).toEqual([])
})
