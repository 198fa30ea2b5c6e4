/** What a test call would have answered its caller: a result, questions, or a failure. All of it is masked. */
import type { SentReport } from '../../call/dry-run.ts'
import type { UpstreamRun } from '../execute/run-with-deadline.ts'

/** Characters of a result as JSON: an answer of a function has 6 MB, and a result may be larger. */
export const RESULT_SHOWN_UNITS_MAX = 1_048_576

export function outcomeIn(
  result: UpstreamRun['result'],
): Pick<SentReport, 'asks' | 'failure' | 'result' | 'resultUnits'> {
  if (result.ok) {
    const { content, structuredContent } = result.value
    const shown = { content, ...(structuredContent === undefined ? {} : { structuredContent }) }
    const units = JSON.stringify(shown).length
    return units > RESULT_SHOWN_UNITS_MAX ? { resultUnits: units } : { result: shown }
  }
  if ('inputRequests' in result.error) return { asks: result.error.inputRequests }
  const { code, detail, upstreamFault } = result.error
  return { failure: { code, detail, ...(upstreamFault === undefined ? {} : { upstreamFault }) } }
}
