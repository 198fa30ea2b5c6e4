/** What becomes of an upstream's answer, as a skill says it, for people who test the skill. */
import type { MappingReport } from '../../call/dry-run.ts'
import { conditionText } from '../../response/fail-if.ts'
import type { Skill } from '../../skills/skill.ts'

export function mappingOf(skill: Skill): MappingReport {
  const { failIf = [], okStatuses = [], responsePick, shownHeaders = [] } = skill
  return {
    okStatuses: ['2xx', ...okStatuses.map(String)],
    as: skill.responseAs,
    ...(responsePick === undefined ? {} : { pick: responsePick }),
    failIf: failIf.map(conditionText),
    showHeaders: shownHeaders,
    hasOutputSchema: skill.outputSchema !== undefined,
    hooks: skill.hooks.map(({ name }) => name),
    bytesMax: skill.responseBytesMax,
    timeoutMs: skill.timeoutMs,
    retries: skill.retries,
  }
}
