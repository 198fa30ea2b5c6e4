/** Official servers of the revisions with a handshake, each on the last release that speaks it. */

import { type SdkMode, startSdkServer } from '../../e2e/sdk-servers.ts'
import { loadSdkV1, type SdkRelease } from '../sdk-releases.ts'
import { OWN_PLAN, type TestedServer, type ToolPlan } from '../tested-server.ts'

/** Of the prefix of an upstream. */
const PREFIX_CHARS_MAX = 20
/** It asks on a stream of its own, so the call waits for an answer until its time is over. */
const JSON_ALONE = {
  progress: { why: 'answers in JSON' },
  question: {
    ...OWN_PLAN.question,
    isLost: 'answers in JSON',
    refuses: /elicit|did not answer within/,
  },
}
const SESSIONLESS = { question: { ...OWN_PLAN.question, isLost: 'keeps no session' } }

export function sdkV1Servers(packages: string): readonly TestedServer[] {
  const server = (release: SdkRelease, mode: SdkMode, plan: Partial<ToolPlan> = {}) =>
    sdkServer(packages, { release, mode, plan })
  return [
    server('2025-03-26', 'sessions-sse', { question: { why: 'its revision has none' } }),
    server('2025-06-18', 'sessions-sse'),
    server('2025-11-25', 'sessions-sse'),
    server('2025-11-25', 'sessions-json', JSON_ALONE),
    server('2025-11-25', 'stateless', SESSIONLESS),
  ]
}

function sdkServer(
  packages: string,
  about: {
    readonly release: SdkRelease
    readonly mode: SdkMode
    readonly plan: Partial<ToolPlan>
  },
): TestedServer {
  const { mode, plan, release } = about
  return {
    name: `sdk v1 ${release} ${mode}`,
    revision: release,
    prefix: `v1${release}${mode}`.replaceAll('-', '').slice(0, PREFIX_CHARS_MAX),
    plan: { ...OWN_PLAN, ...plan },
    start: async () => {
      const { close, url } = await startSdkServer(mode, await loadSdkV1(packages, release))
      return { url, stop: close }
    },
  }
}
