/** All commands, in the order of help and docs/cli.md. */
import type { Command } from '../command/command.ts'
import { ADMIN_KEY_COMMANDS } from './admin-keys.ts'
import { API_COMMAND } from './api.ts'
import { AUDIT_COMMANDS } from './audit.ts'
import { CREDIT_BATCH_COMMAND, USER_BATCH_COMMAND } from './batches.ts'
import { CALL_COMMANDS } from './calls.ts'
import { COMPLETION_COMMANDS } from './completion.ts'
import { CONNECT_COMMAND } from './connect.ts'
import { CREDIT_COMMANDS } from './credits.ts'
import { DOCTOR_COMMANDS } from './doctor.ts'
import { EVENT_COMMANDS } from './events.ts'
import { GROUP_COMMANDS } from './groups.ts'
import { GUIDE_COMMANDS } from './guides.ts'
import { IDENTITY_COMMANDS } from './identities.ts'
import { IMPORT_LAMBDA_COMMANDS } from './import-lambda.ts'
import { IMPORT_COMMANDS } from './import-openapi.ts'
import { INIT_COMMAND } from './init.ts'
import { KEY_COMMANDS } from './keys.ts'
import { LOGIN_COMMANDS } from './logins.ts'
import { LOGS_COMMAND } from './logs.ts'
import { OPERATE_COMMANDS } from './operate.ts'
import { PEOPLE_COMMANDS } from './people.ts'
import { PROFILE_COMMANDS } from './profiles.ts'
import { RESTORE_COMMANDS } from './restore.ts'
import { SECRET_COMMANDS } from './secrets.ts'
import { SHARED_SECRET_COMMANDS } from './shared-secrets.ts'
import { SIGN_IN_COMMANDS } from './sign-in.ts'
import { SKILL_COMMANDS } from './skills.ts'
import { TOOL_COMMANDS } from './tools.ts'
import { UPSTREAM_COMMANDS } from './upstreams.ts'
import { USAGE_COMMAND } from './usage.ts'
import { USER_COMMANDS } from './users.ts'

export const COMMANDS: readonly Command[] = [
  ...SIGN_IN_COMMANDS,
  ...PROFILE_COMMANDS,
  ...USER_COMMANDS,
  ...PEOPLE_COMMANDS,
  USER_BATCH_COMMAND,
  ...GROUP_COMMANDS,
  ...KEY_COMMANDS,
  ...IDENTITY_COMMANDS,
  ...LOGIN_COMMANDS,
  ...CREDIT_COMMANDS,
  CREDIT_BATCH_COMMAND,
  ...SECRET_COMMANDS,
  ...SHARED_SECRET_COMMANDS,
  ...SKILL_COMMANDS,
  ...GUIDE_COMMANDS,
  ...IMPORT_COMMANDS,
  ...IMPORT_LAMBDA_COMMANDS,
  ...UPSTREAM_COMMANDS,
  ...TOOL_COMMANDS,
  ...CALL_COMMANDS,
  USAGE_COMMAND,
  ...EVENT_COMMANDS,
  LOGS_COMMAND,
  CONNECT_COMMAND,
  ...DOCTOR_COMMANDS,
  INIT_COMMAND,
  ...OPERATE_COMMANDS,
  ...RESTORE_COMMANDS,
  ...ADMIN_KEY_COMMANDS,
  ...AUDIT_COMMANDS,
  API_COMMAND,
  ...COMPLETION_COMMANDS,
]
