/**
 * Reads the files whose citations are checked, and their prose: comments of sources, and pages
 * without their fenced code. Prose keeps the length and line breaks of its file, with blanks for
 * the rest, so that positions in both are the same.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Text = {
  /** The path from the root, with `/`. */
  readonly path: string
  readonly all: string
  readonly prose: string
}

export type CitationError = {
  readonly path: string
  readonly line: number
  readonly problem: string
}

const ROOMS = '{.ci,adapters,bench,bin,cli,core,docs,examples,lambdas,lib,local,scripts,test}'
const ENDINGS = '{cjs,css,grit,html,java,js,json,md,mjs,py,sh,ts,txt,xml,yaml,yml}'
const PATTERNS = [`*.${ENDINGS}`, '.*.mjs', '.ci/*', `${ROOMS}/**/*.${ENDINGS}`]
/**
 * Files that are not checked: trees broken on purpose, installed packages, lock files, the history
 * (which may name removed files), and the head of docs/protocol.md, which is checked in its source.
 */
const NOT_CHECKED =
  /^test\/architecture\/fixtures\/|(^|\/)(node_modules|package-lock\.json)($|\/)|^CHANGELOG\.md$|^scripts\/protocol\//

const CODE = /\.(cjs|grit|java|js|mjs|ts)$/
const PAGE = /\.md$/
/** Data files; names in them are patterns and values, not citations. */
const DATA = /\.json$/

export function readTexts(root: string): readonly Text[] {
  const files = globSync(PATTERNS, { cwd: root })
  return [...new Set(files)]
    .filter((path) => !NOT_CHECKED.test(path))
    .sort()
    .map((path) => toText(path, readFileSync(join(root, path), 'utf8')))
}

export function toText(path: string, all: string): Text {
  if (DATA.test(path)) return { path, all, prose: '' }
  if (PAGE.test(path)) return { path, all, prose: blankFences(all) }
  return { path, all, prose: CODE.test(path) ? keepComments(all) : all }
}

/** Returns the line of an offset, which counts from the start of the file. */
export function findLine(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}

/** Blanks fenced code, in which a `#` is not a heading and a path need not exist. */
export function blankFences(page: string): string {
  return page.replaceAll(/^```[\s\S]*?^```$/gm, blank)
}

/**
 * Keeps the comments of a source and blanks the rest. Works by lines, in the form that the
 * formatter writes: lines of a block comment begin with `/**` or `*`, and `//` is at the start of a
 * line or after a blank. Comment marks are blanked too.
 */
function keepComments(code: string): string {
  return code.replaceAll(/^.*$/gm, (line) => {
    const [, before = '', mark = '', comment = ''] =
      /^(\s*)(\/\*\*?|\*\/?|\/\/+)(.*)$/.exec(line) ?? /^(.*\s)(\/\/)(\s.*)$/.exec(line) ?? []
    if (mark === '') return blank(line)
    return blank(before + mark) + comment.replace(/\*\/\s*$/, blank)
  })
}
