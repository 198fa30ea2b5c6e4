/** What decided about an upstream's answer: its status, and each condition of `response.fail_if`. */
import type { JudgementReport } from '../../call/dry-run.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import { conditionText, failingCondition } from '../../response/fail-if.ts'
import { readBodyText } from '../../response/read-body.ts'
import { answerText } from '../../response/to-result.ts'
import type { ReadyCall } from '../execute/validate-call.ts'

export function judgementOf(
  { skill }: Pick<ReadyCall, 'skill'>,
  response: UpstreamResponse,
): JudgementReport {
  const { failIf = [], okStatuses = [] } = skill
  const { status } = response
  const is2xx = status >= 200 && status <= 299
  const isOk = is2xx || okStatuses.includes(status)
  const by = is2xx ? '2xx' : okStatuses.includes(status) ? 'ok_statuses' : 'no rule'
  const text = readBodyText(response, false)
  const answer = answerText(text.ok ? text.value : '')
  return {
    statusIs: isOk ? 'success' : 'failure',
    by,
    failIf: failIf.map((one) => ({
      condition: conditionText(one),
      holds: isOk && failingCondition(answer, [one]) !== undefined,
    })),
  }
}
