/** All commands, in the order of help and docs/cli.md. */
import type { Command } from '../command/command.ts'
import { API_COMMAND } from './api.ts'
import { AUDIT_COMMAND } from './audit.ts'
import { COMPLETION_COMMANDS } from './completion.ts'
import { CONNECT_COMMAND } from './connect.ts'
import { CREDIT_COMMANDS } from './credits.ts'
import { DOCTOR_COMMANDS } from './doctor.ts'
import { KEY_COMMANDS } from './keys.ts'
import { OPERATE_COMMANDS } from './operate.ts'
import { PEOPLE_COMMANDS } from './people.ts'
import { PROFILE_COMMANDS } from './profiles.ts'
import { SECRET_COMMANDS } from './secrets.ts'
import { SIGN_IN_COMMANDS } from './sign-in.ts'
import { SKILL_COMMANDS } from './skills.ts'
import { TOOL_COMMANDS } from './tools.ts'
import { USER_COMMANDS } from './users.ts'

export const COMMANDS: readonly Command[] = [
  ...SIGN_IN_COMMANDS,
  ...PROFILE_COMMANDS,
  ...USER_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...KEY_COMMANDS,
  ...CREDIT_COMMANDS,
  ...SECRET_COMMANDS,
  ...SKILL_COMMANDS,
  ...TOOL_COMMANDS,
  CONNECT_COMMAND,
  ...DOCTOR_COMMANDS,
  ...OPERATE_COMMANDS,
  AUDIT_COMMAND,
  API_COMMAND,
  ...COMPLETION_COMMANDS,
]
