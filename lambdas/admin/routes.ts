/** All admin routes, in the order of the documentation. */

import type { Route } from './route.ts'
import { ADMIN_KEY_ROUTES } from './routes/admin-key-routes.ts'
import { AUDIT_ROUTES } from './routes/audit-routes.ts'
import { BALANCE_ROUTES } from './routes/balance-routes.ts'
import { CALL_ROUTES } from './routes/call-routes.ts'
import { CREDIT_ROUTES } from './routes/credit-routes.ts'
import { createDocumentRoute } from './routes/document-route.ts'
import { DRY_RUN_ROUTES } from './routes/dry-run-routes.ts'
import { EVENT_ROUTES } from './routes/event-routes.ts'
import { FUNCTION_ROUTES } from './routes/function-routes.ts'
import { GUIDE_ROUTES } from './routes/guide-routes.ts'
import { IDENTITY_ROUTES } from './routes/identity-routes.ts'
import { IMPORT_ROUTES } from './routes/import-routes.ts'
import { KEY_ROUTES } from './routes/key-routes.ts'
import { LEDGER_ROUTE } from './routes/ledger-route.ts'
import { LOGIN_ROUTES } from './routes/login-routes.ts'
import { MIGRATE_ROUTE } from './routes/migrate-route.ts'
import { OVERVIEW_ROUTES } from './routes/overview-routes.ts'
import { PEOPLE_ROUTES } from './routes/people-routes.ts'
import { SECRET_ROUTES } from './routes/secret-routes.ts'
import { SET_ROUTES } from './routes/set-routes.ts'
import { SHARED_SECRET_ROUTES } from './routes/shared-secret-routes.ts'
import { SKILL_ROUTES } from './routes/skill-routes.ts'
import { SKILL_VERSION_ROUTES } from './routes/skill-version-routes.ts'
import { STATEMENT_ROUTES } from './routes/statement-routes.ts'
import { TASK_ROUTES } from './routes/task-routes.ts'
import { TOOL_LIST_ROUTES } from './routes/tool-list-routes.ts'
import { UPSTREAM_ROUTES } from './routes/upstream-routes.ts'
import { USAGE_ROUTE } from './routes/usage-route.ts'
import { USER_ROUTES } from './routes/user-routes.ts'

export const ROUTES: readonly Route[] = [
  ...TOOL_LIST_ROUTES,
  ...SKILL_ROUTES,
  ...SKILL_VERSION_ROUTES,
  ...DRY_RUN_ROUTES,
  ...SET_ROUTES,
  ...GUIDE_ROUTES,
  ...PEOPLE_ROUTES,
  ...BALANCE_ROUTES,
  ...IMPORT_ROUTES,
  ...FUNCTION_ROUTES,
  ...UPSTREAM_ROUTES,
  ...USER_ROUTES,
  ...CREDIT_ROUTES,
  LEDGER_ROUTE,
  ...CALL_ROUTES,
  ...TASK_ROUTES,
  USAGE_ROUTE,
  ...OVERVIEW_ROUTES,
  ...STATEMENT_ROUTES,
  ...EVENT_ROUTES,
  ...KEY_ROUTES,
  ...IDENTITY_ROUTES,
  ...LOGIN_ROUTES,
  ...SECRET_ROUTES,
  ...SHARED_SECRET_ROUTES,
  ...ADMIN_KEY_ROUTES,
  ...AUDIT_ROUTES,
  MIGRATE_ROUTE,
  createDocumentRoute(() => ROUTES),
]
