/**
 * The command `restore`. Its work is in cli/clone/restore, which needs a clone and the CDK, and is
 * loaded when it runs.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readUtcTime, toUtcSecond } from '../../core/json/utc-time.ts'
import { enterStage } from '../aws/stage-environment.ts'
import type { RestoreReport } from '../clone/restore/restore.ts'
import type { RestoreGoal, RestorePlan } from '../clone/restore/restore-plan.ts'
import { type Command, getOption, type Invocation, isOn } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printJson } from '../command/print.ts'
import {
  asCommandFault,
  CommandFault,
  EXIT,
  type ExitCode,
  toUsageFault,
} from '../terminal/exit-code.ts'

const RESTORE = resolve(import.meta.dirname, '../clone/restore')

async function restore(call: Invocation): Promise<ExitCode> {
  const goal = readGoal(call)
  if (!existsSync(RESTORE)) {
    throw new CommandFault('This command needs a clone of the repository.', {
      remedy: 'Clone it, run npm ci, and use npx skillgate there.',
    })
  }
  const work = await import('../clone/restore/restore.ts')
  const stage = getOption(call, 'stage') ?? 'dev'
  const shell = await enterStage(stage, call.shell)
  const keepKeys = isOn(call, 'keep-keys')
  const request = work.toRestoreRequest({ stage, goal, keepKeys }, shell)
  const world = await asCommandFault(work.openRestoreWorld(request, shell))
  const plan = await asCommandFault(work.readRestorePlan(world, request))
  if (isOn(call, 'dry-run')) {
    printPlan(call, plan, goal)
    return EXIT.ok
  }
  if (!(await askConfirmation(call, formatQuestion(plan, goal)))) return EXIT.failed
  printReport(call, await asCommandFault(work.restoreTable(world, request, plan)))
  return asCommandFault(work.checkRestored(world, plan))
}

function readGoal(call: Invocation): RestoreGoal {
  const [table, to, tableName] = [
    getOption(call, 'table'),
    getOption(call, 'to'),
    getOption(call, 'use'),
  ]
  if (table === undefined) {
    throw toUsageFault('--table has no value.', 'Write --table gateway.')
  }
  if (table === 'sessions') {
    throw toUsageFault(
      'Sessions has no recovery: its records live for an hour or a day.',
      'Agents connect again by themselves; docs/operations.md says how to make the table anew.',
    )
  }
  if ((to === undefined) === (tableName === undefined)) {
    throw toUsageFault(
      'Give one of --to and --use.',
      'Write --to 2026-11-22T21:30:00Z, or --use TABLE for a table that exists.',
    )
  }
  if (tableName !== undefined) return { kind: 'table', tableName }
  const atMs = readUtcTime(to ?? '')
  // A time such as 2h ago would name another table in the next run, which is to go on with it.
  if (atMs === undefined || atMs % 1_000 !== 0) {
    throw toUsageFault(`--to: ${to} is no second in UTC.`, 'Write it as 2026-11-22T21:30:00Z.')
  }
  return { kind: 'moment', atMs }
}

function formatQuestion({ inUse, stage, target }: RestorePlan, goal: RestoreGoal): string {
  const lost =
    goal.kind === 'moment'
      ? ` Everything written since ${toUtcSecond(goal.atMs)} is lost to the gateway.`
      : ''
  return `Stop stage ${stage} for some minutes, and use ${target} in place of ${inUse}?${lost}`
}

function printPlan(call: Invocation, plan: RestorePlan, goal: RestoreGoal): void {
  const { exists, inUse, stage, target } = plan
  const to = goal.kind === 'moment' ? toUtcSecond(goal.atMs) : undefined
  const makes = goal.kind === 'moment' && !exists
  const steps = makes ? ['restore', ...STEPS] : STEPS
  printFields(call, { stage, inUse, target, to, exists, steps }, [
    ['stage', stage],
    ['table in use', inUse],
    ['its successor', `${target}${makes ? ', which will be made' : ', which exists'}`],
    ['as of', to],
    ['steps', steps.join(', ')],
  ])
}

const STEPS = ['set and compare settings', 'stop', 'end keys', 'deploy', 'start', 'check'] as const

function printReport(call: Invocation, report: RestoreReport): void {
  if (isOn(call, 'json')) {
    printJson(call, report)
    return
  }
  const { endedKeys, replaced, restored, settled } = report
  call.shell.out.write(
    [
      `The gateway uses ${restored}.`,
      ...settled.map((line) => `  set      ${line}`),
      ...endedKeys.map(({ pk, uid }) => `  ended    ${pk}${uid === undefined ? '' : ` of ${uid}`}`),
      'Now check the credits, and send again what was granted since:',
      `  npm run audit:ledger -- --table ${restored}`,
      `${replaced} is kept. When all is well, delete it.`,
      '',
    ].join('\n'),
  )
}

export const RESTORE_COMMANDS: readonly Command[] = [
  {
    name: 'restore',
    summary: 'Replace the Gateway table by one of an earlier moment',
    details:
      'Needs a clone. Makes a new table by point-in-time recovery, gives it the settings of the template, stops the functions, ends keys that were revoked since, deploys the new name, moves all requests to the versions that have it, starts the functions, and checks them by a call. Run again after a break, it goes on; --use of the earlier table goes back.',
    arguments: [],
    options: [
      { flag: 'stage', value: 'STAGE', help: 'the stage (dev)' },
      {
        flag: 'table',
        value: 'TABLE',
        help: 'which of the two tables',
        choices: ['gateway', 'sessions'],
      },
      { flag: 'to', value: 'TIME', help: 'the moment in UTC, to the second: 2026-11-22T21:30:00Z' },
      { flag: 'use', value: 'NAME', help: 'use this table, which exists' },
      { flag: 'keep-keys', help: 'keys and logins that ended since then work again' },
      { flag: 'dry-run', help: 'print what would be done, and change nothing' },
      YES,
    ],
    examples: [
      {
        says: 'Show what a restore would do',
        line: 'skillgate restore --stage prod --table gateway --to 2026-11-22T21:30:00Z --dry-run',
        untested: 'needs an AWS account',
      },
    ],
    prints: 'what the table got, which keys were ended, and what to do next',
    data: 'document',
    run: restore,
  },
]
