export interface FunctionSettings {
  /** @default 'index.handler' */
  readonly handler?: string;
  /** The folder with the handler's module, outside the repository. */
  readonly taskRoot: string;
  readonly functionName: string;
  readonly region: string;
  /** @default 128 */
  readonly memoryMb?: number;
  /** The function's own variables. A variable that Lambda sets itself is an error. @default none */
  readonly env?: Readonly<Record<string, string>>;
}

/** The settings that differ from one execution environment to the next. */
export interface RuntimePlace {
  readonly runtimeApi: string;
  readonly logStreamName: string;
}

/** All environment variables of a function's processes: those that Lambda sets, and the function's own. */
export function environmentVariables(
  settings: FunctionSettings,
  nodeMajor: number,
): (place: RuntimePlace) => Record<string, string> {
  const { handler = 'index.handler', taskRoot, functionName, region, memoryMb = 128, env = {} } = settings;
  const reserved = ({ runtimeApi, logStreamName }: RuntimePlace) => ({
    _HANDLER: handler,
    AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_SESSION_TOKEN: 'example',
    AWS_DEFAULT_REGION: region,
    AWS_REGION: region,
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${nodeMajor}.x`,
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: logStreamName,
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    LAMBDA_TASK_ROOT: taskRoot,
  });
  const names = Object.keys(reserved({ runtimeApi: '', logStreamName: '' }));
  const refused = names.filter((name) => name in env);
  if (refused.length > 0) throw new Error(`Lambda lets no function set ${refused.join(', ')}; leave it out of \`env\``);
  return (place) => ({ PATH: '/usr/local/bin:/usr/bin:/bin', TZ: ':UTC', ...env, ...reserved(place) });
}
