import type { ScalarOf } from './yaml.js';

export interface Names {
  /** What `Ref` and `Fn::GetAtt` reach, besides what all templates call the same. */
  readonly references: Readonly<Record<string, string>>;
  /** What the tool itself puts into a text before CloudFormation reads it. */
  readonly texts?: Readonly<Record<string, string>>;
}

const SAME: Readonly<Record<string, string>> = {
  account: 'AWS::AccountId',
  region: 'AWS::Region',
  partition: 'AWS::Partition',
  'table.name': 'Locks',
  'table.arn': 'Locks.Arn',
  'queue.url': 'DeadLetters',
  'queue.arn': 'DeadLetters.Arn',
  'queue.name': 'DeadLetters.QueueName',
  'schedulerRole.arn': 'SendDigestScheduleRole.Arn',
  'topic.arn': 'Alarms',
  'group.name': 'SendDigestSchedules',
};

/** A text with marks as CloudFormation's short forms: `!Ref Locks`, `!GetAtt Locks.Arn`, `!Sub '${Locks.Arn}:*'`. */
export function cloudFormationScalar({ references, texts = {} }: Names): ScalarOf {
  const known: Readonly<Record<string, string>> = { ...SAME, ...references };
  return (value) => {
    const text = value
      .replaceAll('{{namespace}}', 'SingleExecution/${AWS::StackName}')
      .replace(/\{\{([\w.]+)\}\}/g, (mark, name: string) => texts[name] ?? mark);
    const [, only = ''] = /^\{\{([\w.]+)\}\}$/.exec(text) ?? [];
    const reference = known[only];
    if (reference !== undefined) return { tag: reference.includes('.') ? '!GetAtt ' : '!Ref ', text: reference };
    const written = text.replace(/\{\{([\w.]+)\}\}/g, (mark, name: string) => {
      if (known[name] === undefined) throw new Error(`no name for ${mark}`);
      return `\${${known[name]}}`;
    });
    return { tag: written === text && !text.includes('${AWS::') ? '' : '!Sub ', text: written };
  };
}
