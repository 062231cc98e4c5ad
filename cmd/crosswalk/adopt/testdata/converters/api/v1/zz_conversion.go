package v1

import v2 "example.com/converters/api/v2"

func Convert_v1_Part_To_v2_Part(in *Part, out *v2.Part, scope any) error {
	out.ObjectMeta, out.New = in.ObjectMeta, in.Old
	return nil
}

func Convert_v2_Part_To_v1_Part(in *v2.Part, out *Part, scope any) error {
	out.ObjectMeta, out.Old = in.ObjectMeta, in.New
	return nil
}

// Convert_v1_Exported_To_v2_Exported is a part: the converter does more.
func Convert_v1_Exported_To_v2_Exported(in *Exported, out *v2.Exported, scope any) error {
	out.ObjectMeta = in.ObjectMeta
	return nil
}

func Convert_v2_Exported_To_v1_Exported(in *v2.Exported, out *Exported, scope any) error {
	out.ObjectMeta = in.ObjectMeta
	return nil
}
