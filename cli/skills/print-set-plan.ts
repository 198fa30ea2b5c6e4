/** The plan of a set of skills for people: a line for each skill that changes. */
import { type Fields, fieldsOf } from '../gateway/admin-client.ts'
import { aboutNew } from '../openapi/print-plan.ts'
import { note, type Shell } from '../terminal/shell.ts'
import { plain } from '../terminal/table.ts'

export function printSetPlan(shell: Shell, plan: Fields): void {
  const lines = [
    ...rowsOf(plan['added']).flatMap((one) => [`+ ${nameOf(one)}`, `  ${aboutNew(one)}`]),
    ...rowsOf(plan['changed']).map((one) => `~ ${nameOf(one)}${changesOf(one)}`),
    ...textsOf(plan['removed']).map((id) => `- ${id}`),
    ...textsOf(plan['left']).map((id) => `  ${id} is not among the files; --prune deletes it`),
    ...textsOf(plan['adopted']).map((id) => `  ${id} was in no set before`),
    ...rowsOf(plan['edited']).map((one) => `= ${nameOf(one)}: ${editsOf(one)}`),
    ...rowsOf(plan['breaking']).flatMap(({ reasons, skillId }) =>
      textsOf(reasons).map((reason) => `! ${skillId} breaks: ${reason}`),
    ),
    ...rowsOf(plan['warnings']).flatMap(({ skillId, texts }) =>
      textsOf(texts).map((text) => `  ${skillId}: warning: ${text}`),
    ),
  ]
  for (const line of lines) shell.out.write(`${plain(line)}\n`)
  const { changes, listBytes, tools, unchanged } = plan
  const listed = tools === undefined ? '' : ` The new list has ${tools} tools.`
  const changed = `${changes} ${changes === 1 ? 'change' : 'changes'}`
  note(
    shell,
    `${changed}, ${unchanged} unchanged. These tools are ${listBytes} bytes of a list.${listed}`,
  )
}

function nameOf({ file, skillId }: Fields): string {
  return `${skillId}  ${file}`
}

function changesOf({ fields }: Fields): string {
  const changes = rowsOf(fields).map(
    ({ field, from, to }) => `${field} ${from ?? 'nothing'} → ${to ?? 'nothing'}`,
  )
  // A skill that is adopted as it is has none.
  return changes.length === 0 ? '' : `: ${changes.join('; ')}`
}

function editsOf({ conflicts, fields }: Fields): string {
  const byHand = `edited by hand: ${textsOf(fields).join(', ')}`
  const both = textsOf(conflicts)
  return both.length === 0 ? byHand : `${byHand}; the files changed ${both.join(', ')} too`
}

function rowsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
