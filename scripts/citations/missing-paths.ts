/**
 * Finds paths in prose that do not exist: files and folders of the repository's rooms, pages by
 * their file name, and decisions by their number.
 */
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findSectionRange } from './headings.ts'
import { type CitationError, findLine, type Text } from './text.ts'

const ROOM_PATH =
  /(?<![\w./@$~-])(?:\.ci|adapters|bench|bin|cli|core|docs|examples|lambdas|lib|local|scripts|test)\/[\w.\-/*{},<>…]*/g
/**
 * Matches names of pages such as `wire.md` beside `docs/data-model.md`, or
 * `decisions/0001-dependencies.md`; pages of a room match as paths.
 */
const PAGE_NAME =
  /(?<![\w./@-])(?!(?:bench|core|docs|examples|lib|local|scripts|test)\/)(?:[\w-]+\/)*[A-Za-z0-9][\w-]*\.md\b(?!\/)/g
/** Matches `docs/design/skills.md#markdown-and-yaml` and `docs/design/calls.md#connections`. */
const DECISIONS = /\b(?:ADRs?|decisions?)\s+(\d{4}(?:(?:,|\s+and)\s+\d{4})*)/gi
const DECISION_PATH = /^docs\/decisions\/(\d{4})$/

/**
 * Sections that name files which their reader creates, or which come later (a test checks that).
 */
const NOT_YET: ReadonlyMap<string, string> = new Map([
  ['ARCHITECTURE.md', 'Where later work will stand'],
  ['docs/hooks.md', 'Write a hook in ten minutes'],
])

export function findMissingPaths(root: string, { path, prose }: Text): readonly CitationError[] {
  const notYet = findSectionRange(prose, NOT_YET.get(path))
  const named = [
    ...listMissing(prose, ROOM_PATH, (match) => pathExists(root, tidyPath(match))),
    ...listMissing(prose, PAGE_NAME, (match) => pageExists(root, path, match)),
    ...listDecisions(prose).filter(({ name }) => !decisionExists(root, name)),
  ]
  return named
    .filter(({ offset }) => offset < notYet.from || offset >= notYet.to)
    .map(({ name, offset }) => ({
      path,
      line: findLine(prose, offset),
      problem: /^\d{4}$/.test(name)
        ? `there is no decision ${name}`
        : `there is no ${tidyPath(name)}`,
    }))
}

type PathMention = { readonly name: string; readonly offset: number }

function listMissing(
  prose: string,
  pattern: RegExp,
  isThere: (match: string) => boolean,
): PathMention[] {
  return [...prose.matchAll(pattern)]
    .filter((match) => !isLabel(prose, match) && !isThere(match[0]))
    .map((match) => ({ name: match[0], offset: match.index }))
}

/**
 * Tells whether a match is the label of a link, as in `[core/mcp/classify](…)`; then the link's
 * target is checked instead.
 */
function isLabel(prose: string, { 0: match, index }: RegExpExecArray): boolean {
  return prose[index - 1] === '[' && prose.startsWith('](', index + match.length)
}

function listDecisions(prose: string): PathMention[] {
  return [...prose.matchAll(DECISIONS)].flatMap((match) =>
    [...match[0].matchAll(/\d{4}/g)].map((number) => ({
      name: number[0],
      offset: match.index + number.index,
    })),
  )
}

/**
 * Removes the sentence's full stop. For a path with a placeholder (`rev<date>`, `rev…`) returns the
 * folder.
 */
function tidyPath(match: string): string {
  const [head = ''] = match.split(/[<…]/)
  const known = head === match ? match : head.slice(0, head.lastIndexOf('/') + 1)
  return known.replace(/[.,>}-]+$/, (end) => (known.includes('{') ? end.replace(/[.,]+$/, '') : ''))
}

function pathExists(root: string, path: string): boolean {
  const number = DECISION_PATH.exec(path)?.[1]
  if (number !== undefined) return decisionExists(root, number)
  if (/[*{]/.test(path)) return globSync(path, { cwd: root }).length > 0
  return existsSync(join(root, path))
}

function pageExists(root: string, citing: string, name: string): boolean {
  // The main file of a guide, which its writer has elsewhere.
  if (name === 'SKILL.md') return true
  return ['', 'docs', dirname(citing)].some((folder) => existsSync(join(root, folder, name)))
}

function decisionExists(root: string, number: string): boolean {
  return globSync(`docs/decisions/${number}-*.md`, { cwd: root }).length === 1
}
