/**
 * `npm run cli:page`: writes docs/cli.md from its head and the table of commands. A test fails when
 * the page is out of date.
 */
import '../bench/lib/help.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../cli/command/command.ts'
import { formatExampleLine, formatOptionHead, formatOptionHelp } from '../cli/command/help.ts'
import { formatUsage } from '../cli/command/read-command.ts'
import { COMMANDS } from '../cli/commands/commands.ts'

const HEAD = join(import.meta.dirname, 'cli/head.md')
const PAGE = join(import.meta.dirname, '../docs/cli.md')

export function formatCliPage(): string {
  const visible = COMMANDS.filter(({ hidden }) => hidden !== true)
  const rows = visible.map(
    ({ name, summary }) => `| [${name}](#${toAnchor(name)}) | ${toCell(summary)} |`,
  )
  const index = ['## Commands', '', '| Command | What it does |', '|---|---|', ...rows].join('\n')
  const head = readFileSync(HEAD, 'utf8').trimEnd()
  return `${[head, index, ...visible.map(formatCommand)].join('\n\n')}\n`
}

function toAnchor(name: string): string {
  return name.replaceAll(' ', '-')
}

function formatCommand(command: Command): string {
  const { arguments: words, details, examples, name, options, prints, summary } = command
  const rows = [
    ...words.map((row) => `| \`${row.name}\` | ${toCell(row.help)} |`),
    ...options.map((row) => `| \`${formatOptionHead(row)}\` | ${toCell(formatOptionHelp(row))} |`),
  ]
  const lines = examples.flatMap((example) => [`# ${example.says}`, formatExampleLine(example)])
  return [
    `### ${name}`,
    '',
    `${summary}. Prints ${prints}.${details === undefined ? '' : ` ${details}`}`,
    '',
    '```text',
    formatUsage(command),
    '```',
    ...(rows.length === 0 ? [] : ['', '| Argument or option | Meaning |', '|---|---|', ...rows]),
    ...(lines.length === 0 ? [] : ['', '```sh', ...lines, '```']),
  ].join('\n')
}

/** Escapes a text for a table cell, which a bar would end. */
function toCell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '`{{')
    .replaceAll('}}', '}}`')
}

if (import.meta.main) writeFileSync(PAGE, formatCliPage())
