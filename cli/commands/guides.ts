/** The commands `guides push`, `ls`, `show`, `versions`, `rollback` and `rm` (docs/guides.md). */
import { type Command, getArgument, type Invocation } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import {
  type AdminAnswer,
  encodeSegment,
  type Fields,
  openAdminClient,
  toFields,
  toRefusalFault,
} from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { readGuideFolders } from '../guides/guide-folders.ts'
import { type Outcome, printOutcomes } from '../skills/print-outcomes.ts'
import { readFaults } from '../skills/push-file.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { toText } from './users.ts'

async function push(call: Invocation): Promise<ExitCode> {
  const folders = readGuideFolders(call)
  const admin = await openAdminClient(call)
  const outcomes: GuideOutcome[] = []
  for (const { files, guideId } of folders) {
    const path = `/guides/${encodeSegment(guideId)}`
    const answer = await admin.exchange({ method: 'PUT', path, body: { files } })
    outcomes.push(toGuideOutcome(guideId, answer))
  }
  printOutcomes(call, outcomes, [
    { head: 'GUIDE', kind: 'id', of: ({ file }) => file },
    { head: 'VERSION', of: ({ version }) => version, right: true },
    { head: 'OUTCOME', kind: 'state', of: ({ outcome }) => outcome },
  ])
  return outcomes.some(({ outcome }) => outcome === 'refused') ? EXIT.failed : EXIT.ok
}

type GuideOutcome = Outcome & { readonly version?: string | undefined }

/** A guide with faults does not keep the others out; any other refusal is thrown. */
function toGuideOutcome(guideId: string, answer: AdminAnswer): GuideOutcome {
  const fields = toFields(answer.body)
  if (answer.status < 400) {
    const version = toText(toFields(fields['guide'])['version'])
    return { file: guideId, outcome: fields['changed'] === true ? 'pushed' : 'unchanged', version }
  }
  const errors = readFaults(fields)
  if (errors.length === 0) throw toRefusalFault(answer)
  return { file: guideId, outcome: 'refused', code: String(fields['code']), errors }
}

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const rows = await fetchRows(call, admin, { path: '/guides' }, 'guides')
  printRows<Fields>(call, rows, [
    { head: 'GUIDE', field: 'guideId', kind: 'id' },
    { head: 'VERSION', field: 'version', right: true },
    { head: 'FILES', of: (row) => toList(row['files']).length, right: true },
    { head: 'GROUPS', of: (row) => toGroups(row) },
    { head: 'SET', field: 'set' },
    { head: 'UPDATED', field: 'updatedAtMs', kind: 'time' },
    { head: 'SAYS', field: 'description' },
  ])
  return EXIT.ok
}

async function show(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const shown = await admin.send({ method: 'GET', path: toGuidePath(call) })
  const guide = toFields(shown['guide'])
  printFields(call, shown, [
    ['guide', toText(guide['guideId'])],
    ['version', toText(guide['version'])],
    ['groups', toGroups(guide)],
    ['set', toText(guide['set'])],
    ['updated', guide['updatedAtMs'], 'time'],
    ['says', toText(guide['description'])],
    ...toList(guide['files']).map((file): [string, string | undefined] => {
      const { bytes, path } = toFields(file)
      return ['file', `${path}  ${bytes} bytes`]
    }),
  ])
  return EXIT.ok
}

async function versions(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const found = await admin.send({ method: 'GET', path: `${toGuidePath(call)}/versions` })
  printRows<Fields>(call, toList(found['versions']).map(toFields), [
    { head: 'VERSION', field: 'version', right: true, kind: 'id' },
    { head: 'MADE', field: 'madeAtMs', kind: 'time' },
    { head: 'BY', field: 'by' },
    { head: 'FILES', field: 'files', right: true },
    { head: 'BYTES', field: 'bytes', right: true },
  ])
  return EXIT.ok
}

async function rollback(call: Invocation): Promise<ExitCode> {
  const typed = getArgument(call, 'VERSION')
  if (!/^[1-9]\d{0,8}$/.test(typed)) {
    const fault = `VERSION: ${typed} is not the number of a version.`
    throw toUsageFault(fault, 'See skillgate guides versions.')
  }
  const admin = await openAdminClient(call)
  const request = { path: `${toGuidePath(call)}/rollback`, body: { version: Number(typed) } }
  const pushed = await admin.send({ method: 'POST', ...request })
  printNote(call.shell, `As in version ${typed} again; agents get it within a minute.`)
  printFields(call, pushed, [
    ['guide', getArgument(call, 'GUIDE')],
    ['version', toText(toFields(pushed['guide'])['version'])],
  ])
  return EXIT.ok
}

async function remove(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const path = toGuidePath(call)
  // Fails for a wrong name before the person is asked.
  await admin.send({ method: 'GET', path })
  if (!(await askConfirmation(call, `Delete guide ${getArgument(call, 'GUIDE')}?`)))
    return EXIT.failed
  await admin.send({ method: 'DELETE', path })
  printNote(call.shell, 'Deleted. guides rollback brings it back.')
  return EXIT.ok
}

function toGuidePath(call: Invocation): string {
  return `/guides/${encodeSegment(getArgument(call, 'GUIDE'))}`
}

function toGroups({ groups }: Fields): string | undefined {
  const names = toList(groups)
  return names.length === 0 ? undefined : names.join(', ')
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

const GUIDE = { name: 'GUIDE', help: 'the id of the guide', completes: 'guides' } as const

export const GUIDE_COMMANDS: readonly Command[] = [
  {
    name: 'guides push',
    summary: 'Push folders with a SKILL.md, which agents read',
    details: 'The name of a folder is the id of its guide. All of its files are replaced.',
    arguments: [
      { name: 'FOLDER', help: 'a folder with a SKILL.md', many: true, completes: 'files' },
    ],
    options: [],
    examples: [
      {
        says: 'Push the guide of the examples',
        line: 'skillgate guides push examples/guides/sample-tools',
      },
    ],
    prints: 'a row for each guide, with its version; below, each fault of a refused one',
    data: 'rows',
    run: push,
  },
  {
    name: 'guides ls',
    summary: 'List guides',
    arguments: [],
    options: [...PAGE_OPTIONS],
    examples: [{ says: 'List them', line: 'skillgate guides ls' }],
    prints: 'a row for each guide, with its groups and its set',
    data: 'rows',
    run: list,
  },
  {
    name: 'guides show',
    summary: 'Show a guide',
    arguments: [GUIDE],
    options: [],
    examples: [{ says: 'Show a guide', line: 'skillgate guides show sample-tools' }],
    prints: 'version, groups and files; with --json their contents too',
    data: 'document',
    run: show,
  },
  {
    name: 'guides versions',
    summary: 'List the versions of a guide, also of a deleted one',
    arguments: [GUIDE],
    options: [],
    examples: [{ says: 'What it was', line: 'skillgate guides versions sample-tools' }],
    prints: 'a row for each version, newest first: the last 20 are kept',
    data: 'rows',
    run: versions,
  },
  {
    name: 'guides rollback',
    summary: 'Bring a version of a guide back',
    details: 'It becomes a new version. A deleted guide comes back too.',
    arguments: [GUIDE, { name: 'VERSION', help: 'number of the version' }],
    options: [],
    examples: [
      { says: 'Bring the first version back', line: 'skillgate guides rollback sample-tools 1' },
    ],
    prints: 'the guide',
    data: 'record',
    run: rollback,
  },
  {
    name: 'guides rm',
    summary: 'Delete a guide',
    arguments: [GUIDE],
    options: [YES],
    examples: [{ says: 'Delete a guide', line: 'skillgate guides rm sample-tools --yes' }],
    prints: 'nothing',
    data: 'none',
    run: remove,
  },
]
