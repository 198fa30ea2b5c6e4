/**
 * Reads the front matter of a guide's SKILL.md: YAML between two lines `---`, the first of which
 * begins the file. Refuses a byte order mark, since hosts would not find the block after it.
 */
import type { Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { refuseMarkdown } from '../../core/skills/definition/markdown-skill.ts'
import { readYaml } from './yaml-block.ts'

const BLOCK = /^---[ \t]*\r?\n((?:(?!---[ \t]*(?:\r?\n|$))[^\n]*\n)*)---[ \t]*(?:\r?\n|$)/

export function readFrontMatter(text: string): Result<JsonObject> {
  const block = BLOCK.exec(text)
  if (block === null) return refuseMarkdown([{ pointer: '', message: MISSING }])
  return readYaml((block[1] ?? '').replaceAll('\r\n', '\n'), 2)
}

const MISSING =
  'line 1: must be ---, then name and description as YAML, then another line --- that ends them'
