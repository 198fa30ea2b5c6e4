/**
 * The commands `skills plan` and `skills apply`: the skills of a folder as one set, with the guides
 * in its folder `guides`. The gateway stores all skills or none, and then the guides. An interrupted
 * apply is completed by the same command.
 */
import { SET_BYTES_MAX } from '../../core/skills/set-limits.ts'
import { type Command, getOption, type Invocation, isOn, type Option } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printJson } from '../command/print.ts'
import {
  type AdminAnswer,
  type AdminClient,
  type Fields,
  openAdminClient,
} from '../gateway/admin-client.ts'
import { completeApply } from '../gateway/complete-apply.ts'
import { readGuidesOfSet } from '../guides/guide-folders.ts'
import { printSetPlan } from '../skills/print-set-plan.ts'
import { checkJson } from '../skills/push-file.ts'
import { printRefusedSet, RefusedSet, type SetFile, toRefusedSet } from '../skills/refused-set.ts'
import { listSkillFiles, readSkillFile } from '../skills/skill-files.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { withProgress } from '../terminal/progress.ts'
import { ALLOW_CLEAR_SECRETS } from './rows.ts'

function plan(call: Invocation): Promise<ExitCode> {
  return printRefusedSet(call, () => planSet(call))
}

async function planSet(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const answer = await requestPlan(call, admin, { verb: 'plan', sent: await readSet(call) })
  const guides = await requestGuides(call, admin, 'plan')
  show(call, answer, guides)
  const changes = Number(answer['changes']) + countGuideChanges(guides)
  return isOn(call, 'check') && changes > 0 ? EXIT.drift : EXIT.ok
}

function apply(call: Invocation): Promise<ExitCode> {
  return printRefusedSet(call, () => applySet(call))
}

async function applySet(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const sent = await readSet(call)
  // A guide with a fault is refused before any skill is changed.
  const guides = await requestGuides(call, admin, 'plan')
  if (isOn(call, 'prune')) {
    const { removed } = await requestPlan(call, admin, { verb: 'plan', sent })
    const ids = [...toIds(removed), ...toIds(guides?.['removed'])]
    const question = `Delete ${ids.length} skills and guides: ${ids.join(', ')}?`
    if (ids.length > 0 && !(await askConfirmation(call, question))) return EXIT.failed
  }
  const applied = await requestPlan(call, admin, { verb: 'apply', sent })
  show(call, applied, await requestGuides(call, admin, 'apply'))
  return EXIT.ok
}

/** Undefined if the set has no guides and none is to be removed. */
async function requestGuides(
  call: Invocation,
  admin: AdminClient,
  verb: SetRequest['verb'],
): Promise<Fields | undefined> {
  const guides = readGuidesOfSet(call)
  const prune = isOn(call, 'prune')
  if (guides.length === 0 && !prune) return undefined
  const query = { set: getOption(call, 'set'), prune: prune ? 'true' : undefined }
  return admin.send({ method: 'POST', path: `/guides:${verb}`, query, body: { guides } })
}

function countGuideChanges(guides: Fields | undefined): number {
  return ['added', 'changed', 'removed'].flatMap((name) => toIds(guides?.[name])).length
}

function toIds(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** The files of a set, and the same as NDJSON with one line for each file. */
type SentSet = { readonly files: readonly SetFile[]; readonly body: string }

/** Throws the refusal of files with a typing error in their JSON. */
async function readSet(call: Invocation): Promise<SentSet> {
  const files: SetFile[] = []
  for (const path of listSkillFiles(call)) {
    files.push({ file: path, text: await readSkillFile(call, path) })
  }
  const broken = files.flatMap((one) => checkJson(one) ?? [])
  if (broken.length > 0) throw new RefusedSet({ detail: 'Nothing was sent.' }, broken)
  const body = files.map(({ file, text }) => `${JSON.stringify({ path: file, text })}\n`).join('')
  const bytes = Buffer.byteLength(body)
  if (bytes <= SET_BYTES_MAX) return { files, body }
  throw toUsageFault(
    `The set has ${bytes} bytes; ${SET_BYTES_MAX} at most.`,
    'Make several sets of it, each with a --set of its own.',
  )
}

type SetRequest = { readonly verb: 'apply' | 'plan'; readonly sent: SentSet }

async function requestPlan(
  call: Invocation,
  admin: AdminClient,
  { sent, verb }: SetRequest,
): Promise<Fields> {
  const query = {
    set: getOption(call, 'set'),
    source: getOption(call, 'source'),
    prune: isOn(call, 'prune') ? 'true' : undefined,
    edits: isOn(call, 'overwrite') ? 'overwrite' : undefined,
    strict: isOn(call, 'loose') ? 'false' : undefined,
    clear_secrets: isOn(call, 'allow-clear-secrets') ? 'allow' : undefined,
  }
  const isApply = verb === 'apply'
  const request = { method: 'POST', path: `/skills:${verb}`, query, body: sent.body } as const
  const refuse = (answer: AdminAnswer) => toRefusedSet(answer, sent.files)
  const work = completeApply(call, admin, { request, name: 'apply', isApply, refuse })
  return withProgress(call.shell, isApply ? 'Applying the set' : 'Planning the set', work)
}

function show(call: Invocation, answer: Fields, guides: Fields | undefined): void {
  if (isOn(call, 'json')) printJson(call, guides === undefined ? answer : { ...answer, guides })
  else printSetPlan(call.shell, answer, guides)
}

const PATHS = {
  name: 'PATH',
  help: 'a file in JSON or Markdown, or a folder of them',
  many: true,
  completes: 'files',
} as const

const OPTIONS: readonly Option[] = [
  { flag: 'set', value: 'NAME', help: 'name of the set (main)' },
  {
    flag: 'source',
    value: 'TIER',
    help: 'tier of all its skills (official)',
    choices: ['official', 'market'],
  },
  { flag: 'prune', help: 'delete skills and guides of the set that are not among the files' },
  { flag: 'overwrite', help: 'replace what was edited by hand since the last apply' },
  { flag: 'loose', help: 'only warn of likely mistakes, such as a misspelled field' },
  ALLOW_CLEAR_SECRETS,
]

export const SKILL_SET_COMMANDS: readonly Command[] = [
  {
    name: 'skills plan',
    summary: 'Show what an apply of a folder of skills would change',
    arguments: [PATHS],
    options: [
      ...OPTIONS,
      { flag: 'check', help: 'exit with 2 where an apply would change anything' },
    ],
    examples: [
      {
        says: 'Plan one skill as a set',
        line: 'skillgate skills plan examples/skills/tide.md --set sea',
      },
    ],
    prints: 'a line for each skill: + added, ~ changed, - removed, = edited by hand, ! breaking',
    data: 'document',
    run: plan,
  },
  {
    name: 'skills apply',
    summary: 'Make the skills of a set what a folder has',
    details:
      'All skills are put, or none; then the guides, each a folder in the folder guides. What was edited by hand stays, and skills of other sets too. The same command again changes nothing, and completes an interrupted one.',
    arguments: [PATHS],
    options: [...OPTIONS, YES],
    examples: [
      { says: 'Apply it', line: 'skillgate skills apply examples/skills/tide.md --set sea' },
    ],
    prints: 'what was changed, as skills plan does',
    data: 'document',
    run: apply,
  },
]
