/** What all tokens of a person may spend together in each day, week or month: the same field as a token's. */
import { useAnswer } from "../data/use-answer.ts";
import { SettingField } from "../tokens/setting-field.tsx";
import { type Setting, settingsIn, type Written } from "../tokens/settings.ts";

/** Undefined where nothing here keeps budgets. */
export const useBudgetsSetting = (): Setting | undefined => {
	const { data } = useAnswer("/admin/tokens/schema");
	return data ? settingsIn(data).find(({ key }) => key === "budgets") : undefined;
};

interface BudgetsFieldProps {
	readonly setting: Setting | undefined;
	readonly written: Written;
	readonly change: (written: Written) => void;
}

export const BudgetsField = ({ setting, written, change }: BudgetsFieldProps) =>
	setting && (
		<SettingField
			setting={{
				...setting,
				note: "Dollars that come anew each day, week or month, for all tokens of this person together.",
			}}
			written={written}
			change={change}
		/>
	);
