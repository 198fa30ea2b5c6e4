/**
 * The commands `import lambda plan` and `apply`: skills of the Lambda functions that carry a tag.
 * The gateway finds the functions and makes the skills; they are then planned and applied as a set.
 */
import { type Command, getOption, type Invocation, isOn, type Option } from '../command/command.ts'
import { printJson } from '../command/print.ts'
import {
  type AdminClient,
  type Fields,
  openAdminClient,
  toFields,
} from '../gateway/admin-client.ts'
import { completeApply } from '../gateway/complete-apply.ts'
import { printSetPlan } from '../skills/print-set-plan.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { withProgress } from '../terminal/progress.ts'
import { toOneLine } from '../terminal/table.ts'
import { readNumber } from './rows.ts'

/** The set of skills that functions make, unless it is named. */
const SET = 'lambda'

async function run(call: Invocation, verb: 'apply' | 'plan'): Promise<ExitCode> {
  const request = readRequest(call)
  const admin = await openAdminClient(call)
  const found = await admin.send({ method: 'POST', path: '/imports/lambda:plan', body: request })
  const { left, notes, skills } = found
  const list: readonly unknown[] = Array.isArray(skills) ? skills : []
  const set = list.length === 0 ? undefined : await requestSet(call, admin, { verb, list })
  if (isOn(call, 'json'))
    printJson(call, { functions: found['functions'], left, notes, set: set ?? null })
  else {
    call.shell.out.write(`${found['functions']} functions carry the tag; ${list.length} skills\n`)
    printNotes(call, 'left out', left)
    printNotes(call, 'note', notes)
    if (set !== undefined) printSetPlan(call.shell, set)
  }
  if (list.length === 0) throw toNoToolsFault(found)
  return EXIT.ok
}

/** An import without a tool is a mistake of the command line or of the tags. */
function toNoToolsFault({ functions, left }: Fields): CommandFault {
  const count = Array.isArray(left) ? left.length : 0
  const why =
    functions === 0
      ? 'no function of the account and region carries the tag'
      : `${count} of ${functions} functions that carry the tag are left out, for the reasons above`
  const remedy = functions === 0 ? 'Correct --tag KEY=VALUE, or tag a function.' : undefined
  return new CommandFault(`0 tools: ${why}.`, { remedy })
}

function readRequest(call: Invocation): Fields {
  const tag = getOption(call, 'tag')
  const credits = getOption(call, 'credits')
  if (tag === undefined || credits === undefined) {
    throw toUsageFault(
      '--tag and --credits are needed.',
      'Add them, such as --tag team=shop --credits 1.',
    )
  }
  const at = tag.indexOf('=')
  const qualifier = getOption(call, 'qualifier')
  return {
    tag: at < 0 ? { key: tag } : { key: tag.slice(0, at), value: tag.slice(at + 1) },
    credits: readNumber(credits, '--credits'),
    ...(qualifier === undefined ? {} : { qualifier }),
  }
}

async function requestSet(
  call: Invocation,
  admin: AdminClient,
  { list, verb }: { readonly verb: 'apply' | 'plan'; readonly list: readonly unknown[] },
): Promise<Fields> {
  const query = { set: getOption(call, 'set') ?? SET, source: getOption(call, 'source') }
  const body = JSON.stringify(list)
  const isApply = verb === 'apply'
  const request = { method: 'POST', path: `/skills:${verb}`, query, body } as const
  const work = completeApply(call, admin, { request, name: 'import', isApply })
  return withProgress(call.shell, isApply ? 'Applying the set' : 'Planning the set', work)
}

function printNotes(call: Invocation, head: string, value: unknown): void {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  for (const one of list) {
    const { function: name, text } = toFields(one)
    call.shell.out.write(`${toOneLine(`${head}: ${name}: ${text}`)}\n`)
  }
}

const OPTIONS: readonly Option[] = [
  { flag: 'tag', value: 'KEY[=VALUE]', help: 'the tag that the functions carry' },
  { flag: 'credits', value: 'N', help: 'price of a call of each' },
  { flag: 'qualifier', value: 'NAME', help: 'version or alias that calls invoke' },
  { flag: 'set', value: 'NAME', help: 'name of the set (lambda)' },
  {
    flag: 'source',
    value: 'TIER',
    help: 'tier of the skills (official)',
    choices: ['official', 'market'],
  },
]

export const IMPORT_LAMBDA_COMMANDS: readonly Command[] = [
  {
    name: 'import lambda plan',
    summary: 'Show what an import of Lambda functions would change',
    details:
      'Functions of the gateway’s account and region. The tag skillgate:event of a function names the members of its event, such as city:string days:integer:optional, and skillgate:description says what its tool does.',
    arguments: [],
    options: OPTIONS,
    examples: [
      {
        says: 'Plan the functions of a team',
        line: 'skillgate import lambda plan --tag team=shop --credits 0.5',
        untested: 'needs an AWS account',
      },
    ],
    prints: 'functions that are left out, notes, and the plan of the set as skills plan does',
    data: 'document',
    run: (call) => run(call, 'plan'),
  },
  {
    name: 'import lambda apply',
    summary: 'Import Lambda functions as skills',
    details:
      'The same command again changes nothing, and completes an interrupted one. A skill whose function lost the tag stays: delete it, or apply the set from a folder with --prune.',
    arguments: [],
    options: OPTIONS,
    examples: [
      {
        says: 'Import the functions of a team',
        line: 'skillgate import lambda apply --tag team=shop --credits 0.5 --qualifier live',
        untested: 'needs an AWS account',
      },
    ],
    prints: 'what was changed, as import lambda plan does',
    data: 'document',
    run: (call) => run(call, 'apply'),
  },
]
