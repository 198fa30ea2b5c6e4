/**
 * `npm run protocol`: writes docs/protocol.md from the rows of test/requirements and the tests that
 * cite them. `--check` writes nothing, and fails if the page is out of date.
 */
import '../bench/lib/help.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Citation, citationsOfTests } from '../test/requirements/citations.ts'
import { LEFT_OUT } from '../test/requirements/left-out.ts'
import {
  type Area,
  type LeftOut,
  MCP_REVISIONS,
  type McpRevision,
  type Requirement,
} from '../test/requirements/requirement.ts'
import { AREAS } from '../test/requirements/rows/all.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs/protocol.md')
const HEAD = join(import.meta.dirname, 'protocol/head.md')

export function formatProtocolPage(): string {
  const { cited } = citationsOfTests(ROOT)
  const parts = [
    readFileSync(HEAD, 'utf8').trimEnd(),
    ...AREAS.map((area) => formatArea(area, cited)),
    formatLeftOut(LEFT_OUT),
  ]
  return `${parts.join('\n\n')}\n`
}

function formatArea({ about, rows, title }: Area, cited: readonly Citation[]): string {
  return [
    `### ${title}`,
    '',
    about,
    '',
    '| Row | Level | Revisions | What this server does | Source |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ id, level, revisions, says, source }) =>
        `| ${id} | ${level} | ${formatRevisions(revisions)} | ${toCell(says)} | ${source} |`,
    ),
    '',
    '<details><summary>Tests that hold these</summary>',
    '',
    '| Row | Test | File |',
    '|---|---|---|',
    ...rows.flatMap((row) => formatTests(row, cited)),
    '',
    '</details>',
  ].join('\n')
}

function formatTests({ id }: Requirement, cited: readonly Citation[]): readonly string[] {
  return cited
    .filter((one) => one.id === id)
    .map(({ file, title }) => `| ${id} | ${toCell(title)} | ${formatLink(file)} |`)
}

/** Names the folder as well, because several folders have a file of the same name. */
function formatLink(file: string): string {
  const folder = file.split('/').slice(1, -1).join('/')
  return `[${folder}/${basename(file, '.test.ts')}](../${file})`
}

function formatLeftOut(leftOut: readonly LeftOut[]): string {
  return [
    '## Left out',
    '',
    'What the specification asks for and this server does not do, and why.',
    ...leftOut.flatMap(({ level, revisions, says, source, why }) => [
      '',
      `- **${says}** ${level}, ${formatRevisions(revisions)} (${source}). ${why}`,
    ]),
  ].join('\n')
}

/** Returns the revisions as `all`, one, `from` or `to` one, or a range; rows have no gaps. */
function formatRevisions(revisions: readonly McpRevision[]): string {
  const [first = '', last = ''] = [revisions[0], revisions.at(-1)]
  if (first === last) return first
  const isOldest = first === MCP_REVISIONS[0]
  const isNewest = last === MCP_REVISIONS.at(-1)
  if (isOldest) return isNewest ? 'all' : `to ${last}`
  return isNewest ? `from ${first}` : `${first} to ${last}`
}

/** Escapes a text for a table cell: a bar would end the cell, and `<` would begin HTML. */
function toCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

if (import.meta.main) {
  const isCheck = process.argv.includes('--check')
  const page = formatProtocolPage()
  if (!isCheck) writeFileSync(PAGE, page)
  else if (readFileSync(PAGE, 'utf8') !== page) {
    console.error('docs/protocol.md is not up to date: npm run protocol')
    process.exitCode = 1
  }
}
