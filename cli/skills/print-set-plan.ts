/** Prints the plan of a set for people: a line for each skill and each guide that changes. */
import { type Fields, toRows, toTexts } from '../gateway/admin-client.ts'
import { describeNewTool, formatChange } from '../openapi/print-plan.ts'
import { printMarkedLine } from '../terminal/colours.ts'
import { printNote, type Shell } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'

export function printSetPlan(shell: Shell, plan: Fields, guides: Fields = {}): void {
  const lines = [
    ...toTexts(guides['added']).map((id) => `+ guide ${id}`),
    ...toTexts(guides['changed']).map((id) => `~ guide ${id}`),
    ...toTexts(guides['removed']).map((id) => `- guide ${id}`),
    ...toRows(plan['added']).flatMap((one) => [
      `+ ${formatName(one)}`,
      `  ${describeNewTool(one)}`,
    ]),
    ...toRows(plan['changed']).map((one) => `~ ${formatName(one)}${formatChanges(one)}`),
    ...toTexts(plan['removed']).map((id) => `- ${id}`),
    ...toTexts(plan['left']).map((id) => `  ${id} is not among the files; --prune deletes it`),
    ...toTexts(plan['adopted']).map((id) => `  ${id} was in no set before`),
    ...toRows(plan['edited']).map((one) => `= ${formatName(one)}: ${formatEdits(one)}`),
    ...toRows(plan['breaking']).flatMap(({ reasons, skillId }) =>
      toTexts(reasons).map((reason) => `! ${skillId} breaks: ${reason}`),
    ),
    ...toRows(plan['warnings']).flatMap(({ skillId, texts }) =>
      toTexts(texts).map((text) => `  ${skillId}: warning: ${text}`),
    ),
  ]
  for (const line of lines) printMarkedLine(shell.out, toOneLine(line))
  const { changes, listBytes, tools, unchanged } = plan
  const listed = tools === undefined ? '' : ` The new list has ${tools} tools.`
  const changed = `${changes} ${changes === 1 ? 'change' : 'changes'}`
  printNote(
    shell,
    `${changed}, ${unchanged} unchanged. These tools are ${listBytes} bytes of a list.${listed}`,
  )
}

function formatName({ file, skillId }: Fields): string {
  return `${skillId}  ${file}`
}

function formatChanges({ fields }: Fields): string {
  const changes = toRows(fields).map(formatChange)
  // A skill that was adopted unchanged has no changes.
  return changes.length === 0 ? '' : `: ${changes.join('; ')}`
}

function formatEdits({ conflicts, fields }: Fields): string {
  const byHand = `edited by hand: ${toTexts(fields).join(', ')}`
  const both = toTexts(conflicts)
  return both.length === 0 ? byHand : `${byHand}; the files changed ${both.join(', ')} too`
}
