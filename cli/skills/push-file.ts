/**
 * Pushes one file of skills and tells what became of it. A refused skill is an outcome; refused
 * credentials and failures of the gateway are thrown, because every other file would meet them too.
 */
import { blankComments } from '../../core/json/json-comments.ts'
import { findJsonFault } from '../../core/json/json-fault.ts'
import { getOption, type Invocation, isOn } from '../command/command.ts'
import {
  type AdminAnswer,
  type AdminClient,
  type Fields,
  toFields,
  toRefusalFault,
} from '../gateway/admin-client.ts'
import type { CommandFault } from '../terminal/exit-code.ts'
import { type FieldFault, findSkillPointer, locateFaults } from './locate-faults.ts'
import type { Outcome } from './print-outcomes.ts'
import { excerptText } from './text-excerpt.ts'

export type FilePush = {
  readonly file: string
  readonly text: string
  /** `later` if the tool list is built once, after all files. */
  readonly list: 'now' | 'later'
}

/** Returns an outcome for each skill of the file. */
export async function pushFile(
  call: Invocation,
  admin: AdminClient,
  push: FilePush,
): Promise<readonly Outcome[]> {
  const broken = checkJson(push)
  if (broken !== undefined) return [broken]
  const uid = getOption(call, 'uid')
  const query = {
    source: getOption(call, 'source') ?? (uid === undefined ? undefined : 'private'),
    uid,
    list: push.list === 'later' ? 'later' : undefined,
    strict: readStrict(call),
    clear_secrets: isOn(call, 'allow-clear-secrets') ? 'allow' : undefined,
  }
  const answer = await admin.exchange({
    method: 'POST',
    path: '/sync_skill',
    query,
    body: push.text,
  })
  if (answer.status === 401 || answer.status === 403 || answer.status >= 500)
    throw toRefusalFault(answer)
  const results = toFields(answer.body)['results']
  if (!Array.isArray(results)) return [toOutcome(push, answer)]
  return results
    .map(toFields)
    .map(({ problem, status, synced }, index) =>
      toOutcome(push, { status: Number(status), body: synced ?? problem }, index),
    )
}

function readStrict(call: Invocation): string | undefined {
  if (isOn(call, 'strict')) return 'true'
  return isOn(call, 'loose') ? 'false' : undefined
}

/** Refuses JSON with a typing error here, where its lines can be shown; undefined for other texts. */
export function checkJson({ file, text }: Pick<FilePush, 'file' | 'text'>): Outcome | undefined {
  if (!/^\s*(?:\{|\[\s*\{|\/[/*])/.test(text)) return undefined
  const fault = findJsonFault(blankComments(text).replace(/^\uFEFF/, ' '))
  if (fault === undefined) return undefined
  const { column, line, message } = fault
  return {
    file,
    outcome: 'refused',
    text: 'It is not JSON.',
    code: 'malformed',
    errors: [{ pointer: '', message, line, column }],
    excerpt: excerptText(text, fault),
  }
}

/** `index` is the place of the skill in a file with several. */
function toOutcome(push: FilePush, { body, status }: AdminAnswer, index?: number): Outcome {
  const file = index === undefined ? push.file : `${push.file}[${index}]`
  const fields = toFields(body)
  if (status < 400) {
    return {
      file,
      outcome: fields['created'] === true ? 'created' : 'stored',
      tool: String(fields['toolName'] ?? ''),
      ...readTexts(fields, 'warnings'),
    }
  }
  const faults = readFaults(fields)
  const detail = toOptions(String(fields['detail'] ?? fields['title'] ?? status))
  return {
    file,
    outcome: 'refused',
    code: String(fields['code'] ?? status),
    ...(repeatsFirst(detail, faults) ? {} : { text: detail }),
    errors: locateFaults(faults, push.text, findSkillPointer(push.text, index)),
  }
}

/** True if the detail only repeats the first error, as most details do. */
function repeatsFirst(detail: string, [first]: readonly FieldFault[]): boolean {
  return first !== undefined && detail.replace(/\.$/, '').endsWith(first.message)
}

/** The field errors of a problem document. */
export function readFaults({ errors }: Fields): readonly FieldFault[] {
  if (!Array.isArray(errors)) return []
  return errors.map(toFields).map(({ message, pointer }) => ({
    pointer: String(pointer ?? ''),
    message: toOptions(String(message ?? '')),
  }))
}

function readTexts(fields: Fields, name: 'warnings'): { readonly warnings?: readonly string[] } {
  const texts = fields[name]
  return Array.isArray(texts) && texts.length > 0 ? { [name]: texts.map(String) } : {}
}

/** The admin API takes query parameters where the command line has options. */
function toOptions(text: string): string {
  return text
    .replaceAll('or with the request', 'or with --source')
    .replaceAll('add ?uid=<user id> to the URL', 'add --uid')
    .replaceAll('send ?clear_secrets=allow', 'add --allow-clear-secrets')
    .replaceAll('send ?strict=false', 'add --loose')
}

/** The outcome of a file that cannot be read, such as one that is no text. */
export function toUnreadOutcome(file: string, { message, remedy }: CommandFault): Outcome {
  return { file, outcome: 'refused', text: `${message} ${remedy ?? ''}`.trim() }
}
