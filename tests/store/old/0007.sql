-- SPDX-License-Identifier: Apache-2.0
-- Schema 7: as the program of commit b7c6124 left it when it was killed with work under way.
-- client_id phc_QTRCwlNXIK0dGdp6Xuyx9hgj
-- client_secret phs_qJkm8CWO7osG8WC02-xoJS8zEq6ajJBMUy3LKpdJHBS
BEGIN TRANSACTION;
CREATE TABLE accounts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	connection_id TEXT NOT NULL,
	platform_account_id TEXT NOT NULL,
	username TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	avatar_url TEXT NOT NULL,
	type TEXT NOT NULL,
	state TEXT NOT NULL
		CHECK (state IN ('active', 'expiring', 'reauth_required', 'disconnected')),
	access_token_sealed BLOB NOT NULL,
	refresh_token_sealed BLOB NOT NULL,
	extra TEXT NOT NULL,
	extra_sealed BLOB NOT NULL,
	scopes TEXT NOT NULL,
	expires_at_us BIGINT NOT NULL,
	refresh_expires_at_us BIGINT NOT NULL,
	token_version BIGINT NOT NULL,
	last_refresh_at_us BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL, is_unconfirmed BIGINT NOT NULL DEFAULT 0,
	UNIQUE (app_id, user_id, platform, platform_account_id)
);
INSERT INTO "accounts" VALUES('01a205c7-7667-7d24-a4ce-312b6b6fb287','01a205c7-744e-7990-a18c-43b1b452e4a9',3,'user-1','conn_1b0368a1d593bf85ce3b8c3641b810ed','1790000000000000123','jodoe','Jo Doe','','http://sandbox.example/pbs.twimg.com/profile_images/1/jodoe_normal.jpg','personal','active',X'01441EDC56AF5E0EC84AEF7D55120C4501EB73040C835E17F83755769E4049DBD3ED505F79A6DC8D69C507B7420B3C3D6640AF680266D53E5A75C3D570094F133B2163AB5BEE1B0322206B95A71448EF7735D5240CAD05BDD3CBF7AD813D4CAB6D4F3B68E11149E04798BDF394DEF82DE0D60459E2DBDFCCE49966860442BC55E4B7F5F6A81781E599',X'01441EDC568429668599CDF19D604F7A3BB435276DFF2D9DFDECA67F51407DC301698DE7E4D1339E8561B6B5BF33CF0ED8701F1554123D7576DAC2482416BD74B10520FF55464641CE79A7ED8DE71203D52928302FBE9FFC20C07CE1464F5788D984D49CBF8818FEBD9D1FDCE0079860FF2A45A583328B5113099225E89F2E70F19303D6839DFFF6AD','{"subscription_type":"None","verified_type":"none"}',X'','tweet.read tweet.write users.read media.write offline.access',1795400487781917,0,1,0,'',1795393287783953,1795393287783953,0);
INSERT INTO "accounts" VALUES('01a205c7-77c9-751a-bf64-d95538c6f777','01a205c7-744e-7990-a18c-43b1b452e4a9',2,'user-1','conn_94a60f13be5c2781399395075b0b86bd','105312345678901234','harbourbakery','Harbour Bakery','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/H','page','active',X'01441EDC5685262155DBCCE4D3C1C950F37F1BE8CED7F4E6C1DCFAB17378FC8DB362252A4996613C9F70B77FA94839F1A8339B2E25606AFE1D570D2C5FB78248C26BE2A85DA566DC0CDA65BD3E484F76091DF0EE6CDCACF64201DB2B0BF4105929EE50435655DA733BB2608F1B98CE0772617EF0A519565585EE006509123777B3FBBA8FEBE12C4E3C508C72D0191752979AC764916F57B7277E5FC79075CBDE0E1B485D8F9518CC053C9A488797C90E5560D4A4C14FAF38D0D036E5EFE751FFB03833DA84B3763DF37B4B756FB2836E5F7794F639BDE0173BD8EF3DE4B19E106F557088CDF43486E5578C054D78',X'','{"user_id":"10229384756102938","data_access_expires_at":"2027-02-21T00:21:27Z"}',X'01441EDC56704DBF6C81F6BFEE7429A4CA1B87287A5011C9F1BB3BE80AF44B4E28F2C03C9DEF64ED9BF580CF3C7B0DD5ECCEAD90878DDCA63525EF9920CCEE86A77BC6FF71CDD9ECB09B1854E37838A9568A474BD1E03EE1D2C4A3980A174A6F8846C8A6745B08DDB14C5A7FF7722E86F9EA2A64842E2504670038233C8C46F64E436D2977649A727CBB2A450971F0E0588093657C58CDD5CA7BC3A4F2CBCCBA08F0C3DB2DF20A29F49D5FE7108B5B3B4EA4B10A069FAEB20F9081779C07C8E449FF9CA3773F7650E7B586252F829C63CCAE7F7995A5AA91F9FDBD202DC0015FAD4B089A','public_profile,pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement,business_management',0,0,1,0,'',1795393288137766,1795393288137766,0);
INSERT INTO "accounts" VALUES('01a205c7-77c9-7e07-9de6-bab33f579a1d','01a205c7-744e-7990-a18c-43b1b452e4a9',2,'user-1','conn_94a60f13be5c2781399395075b0b86bd','107398765432109876','107398765432109876','Lighthouse Books','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/L','page','active',X'01441EDC56183A9F1DD3F9B5BB1A13C949E277142E268119ACAB0EAAF6914C4BC9D90B45C7CE4A60201C1166615B1909B31818964F2C2C278C5BF61BF891FDA0453D45622571D2E8744DCA9E7929C5307EF896D6F4560ACFADA228565007BD6B6D7A899CED5DFBD390672B2EBC68034829459CA1E76833E6CE5E85A723D0955FB43CB6B20BB9E72D0525A9635C4C2486482985CD0DC7AB60AB8C16C77CEC7BF5F0D451F8716D8FC9AE0CBA47AE169B0D679E8102C970AEB023A66F0E9597257030FE1B3004124267CC03B4E0C1AD91F5CE2F3BA4557DDE91A1C523DBC0E836067A684492492A561F2DAFEB14DC34',X'','{"user_id":"10229384756102938","data_access_expires_at":"2027-02-21T00:21:27Z"}',X'01441EDC563AF7113E533CB588C72A8E4B9595626A8C37726F37EFF850E7743AFCA7F0BDEB163A89A6E90DBF16DD9C4C070BF84812A0856095C1F859B954C71E38993767868E3459D57B2A10E00A98F0A887D643BF2584030EE205502C0A4A1DE9E4C0461F156D8644F966522C601BB5634024C5346AFCA0B19B63CE9B864024DA1CCDCA19DD7536BE9D615E6B4C61D976DA01DB8D76AECBC33189231C2B43D998CFFD26B298511D8A7A9053ADC8A78623269AD75E2C6068F24BC9220A5DBF99130835423B7F5471AB0077E849593363804F6A067067CB48FA929CE420C5771973F83207','public_profile,pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement,business_management',0,0,1,0,'',1795393288137766,1795393288137766,0);
INSERT INTO "accounts" VALUES('01a205c7-7860-7f02-b52f-c280f41d7ff9','01a205c7-744e-7990-a18c-43b1b452e4a9',4,'user-1','conn_b91ebbe76f1986c568e0ea3c1c7bf8b4','sbJo_Doe42','jo.doe','Jo Doe','jo.doe@example.com','http://sandbox.example/media.licdn.com/dms/image/member','personal','active',X'01441EDC562CAC9D7AB3E02DA09908DCF839AB9017698E1BAC957FC209E2C0E99FC9092A2D7FEDAD19AB3AF16A281A9F763C4C16DE47F3C0812812260CE68E0E972352BF2C213788CEF3420D0DEC82384530DE37D2362F27672E4317F80842E2FDDDAA3E606501F8A46E5E06D95FC5FDDFB27D96CD21D8556BD97AC4BB5C08ACD6675B51E62AE0413609F1FF9D3D3371D17B06FE63EAB4D5FED66709C9CC00C5C2627FFAC0C2CEE1DFE5D669C92E064801619AEBEC93A36D98FD4F2A23D6AAA94524BE87EFC4736CD6E8CA7B2F062024C9CF82E78ABB64C9D0535923802DD4F2F228EA40696F240B936E236C16C74143E5427C2185A1E046A5459A16AB948A96A9331318C46E3B83D5AEFD2BF3C5449010F372AB038B6EFBD5AF4A93D7959FAC358EA4CDA10DF9A65D80BC6554E34489EFF4E8FCB5D75FCAE010F21FE495CCFCE2BCCEA3F4F16D2A7678ED3377EE17B35C0EDD53CC1A6146D1703137419134F86C45B522C8C4D98DDA737CA09E809D9F45210429F5A4252CFDA92EE7BC732D172DBD2421A68C6FEAAA92C1FD33163D0AF1005D993EE3C610DE1A7AB3307424F55D1924853F631A0B82FA5D637FD09F8FD8ADF2D7C23773E3370AA679931BEAD6255784C857FD5498922A6269F7FCA1A5492B1444844064C31AA2ECE8EB3C70F3E85D2BFA3829872FEA1FCA06339777BE717613AB5859E623374E74330DA8AE973818097B435C8B8A967AAE24967CB1618716788B56771AB635A06B4DA2051BB5A6',X'01441EDC56E78E2234115E5CBC35D58E5C0A29A12C85AFDDC850BC3919932772583F14FFCA4B21F25D236A46F975C97A41F285D14695D0F2621F1EF64AF54C3682BDD3E9ECD245341B76039D78B0CEF36E647F4C10B13139A673421DD44FD390BB0525170A9537142DF0975BCEB0F5E42A5011498D3C4E07D1EF0F7FC0C24D3AE9EC6EA75F357BAD9BFC81D6AD8B31D4F0F76B5F56D4934C5B84CC724AEFBC84D0ED0AEE57605FAA884B7F30F6A7FAEAE8603534513BB0571E1022B2D29B71D576D15CCEC2ED8722654508023BCB5703F0EC6A551F9DE0B4B7A2BA7B5E9622274BB829908304AB25FE0C632BE16D4790FD5977691B796A1FDB7D8E3F3254C1B8E58BF16F356D250F4B9D3C68401B88741A4F4DE536D34D73844B7D33452457721AE3F28039C69A0384530669DD674EF1A2229C767CF0F23920B6F2E1DCC55C4904AF759ADA8264071C0E33274BA9F27ACC5493B946B802488AE640D5F5E4767DFFF43928B941ADAE21B09E81387DC64CC907E908C63699B32CAFE0A146AA90EFFD577CAFFBEA0077C53E8815806F89326EA8685BD23C2998AC4F7E138086B4405190F0D691B17839E9B598482BB61D5F281423C2ED439DE876F08EE0628B9C00337711A7D5C40E73F30CC989977B4BF10FA2E98820B287C5A35030F67107DE4401772931D995322DA8B9387E870694728A3DA2F01B4C6F1B01BCB8C8AA8861ADD36AE15B043C673E3AE268EF83841E47CCA7643CF31237EEDFE1133ABBDA24DF0D','',X'','email,openid,profile,r_organization_social,rw_organization_admin,w_member_social,w_organization_social',1800577288248659,1826929288248659,1,0,'',1795393288288323,1795393288288323,0);
INSERT INTO "accounts" VALUES('01a205c7-7860-78fc-95f4-71a2ee3c139e','01a205c7-744e-7990-a18c-43b1b452e4a9',4,'user-1','conn_b91ebbe76f1986c568e0ea3c1c7bf8b4','1000001','posthorn-sandbox','Posthorn Sandbox Inc.','','http://sandbox.example/media.licdn.com/dms/image/page','organization','active',X'01441EDC5610056353AAC814F19EB0AE8A4AEDF792EC4C3CF9CB3527B582FC70F455484E38685F22D3EAF5295E8546BE395047D113CF9D46EBEDDF72AECCE82317ED80E3E5B3BFCA35C4A47A6556758D78D23BA6C1A3F50B680D2E866FCB91A242F4DFA28596E9D66B90BCDA94C1D180264A043B17C7997D0CCCEAD6234691337F0B8D3CE21853A5826BB5FB1D86292808B97EDF681300BB85AA04FF4384A31430FCE2AACB79334742051A4FCFB5CB0A9119DAE86166598AF24E311F27AC5645F2813F577DACAF470AED08260C796545A936C1D01AB13069C5F90AB08C75038135CB340D55436D963F7A60A92C5563F8F9F91431943B2FF737FAA4B22721AEC2A55DD7FA575D1694D3016A56443CEB04AE8C65B52CE13E41E44F40F111F4BC696144A8625BBCD7A9C6B97CDB5A1818A215224B3F6A396D43F93D9D8A73BADC5A0DFA06B247D4C940C74E81CEDB2CB4CF6F27E8B459624D2FD6BBA975793DCA394695DA4712EACC27FFCECF20BF6230052F7C6B4B186C940A1AB8729DAEC7A10306C7744EE839CC2F555513219604C26222AB7DC1A5AE57B0B54F07D0A58CE3DC784039826D58B86088195B51D09192DC2082A6EA0E0322EA89E9B34A26C2EC80CCB11F1F86E79053E56AFE8FFC88E48A08AC26CDC524B7F18200879A4C908F09724DCCCC6BC1525B46974C22E75282A3E86575CC289BE46D3D060274F413381BCB45F0B039AAE6917709092A662979A792C3CEA48AE1C92BB8991253B8D0C725B0',X'01441EDC56F3340EF906065508320B31AEF5DE218DC42907B4C42AE2800FFEE5CDACBEE43F72F43433ADF7C14C477E95F98EE32CEC333EE14F537FC2D518B774C44EEE4800FD8FDEE9B0799B07E554E8D1B505998B44EA92C237C1599612E93E1AF0F4883C9FC76E44833145F4F8FB655F8A2DA8CDE2773ABB4B1C00DFA1ED506B7660DA0B2B58F981892F2BDD6D32EAF62D244C3F35F6B9BF38102DC9FAA398AE2C49177738462ABB86D3F4F7A88D0129C793F8E7865668572257C62E93AD3F9FEF5304D2D891A71CF082BBC7734AAF508CF047794E72494AB98DCB7A8520D79459EC303C6A1237D385D34A2868917EDD7D6EAB9219C1C74A61DB5B8FE28C4874A47705EC4955C83CEBAAD9CAB5B01E34654FA436B9C8D84AB23EC431AF6C70ACBD031A3F8123C0FAE92D70139DD2E773F5937EDD1726A17CD08FACFC771B6F1F9985AB1442AF6E6D28E3971B9BC289E6F06DE6DC86490D3D543C663F83605851AC0BCED402B8EC897339736E904D715D129DA9BEC103FB3AAABEC4D8EBEA9BA1667DC9E51ECD99F885F60B58DBD62127FB4BA515C013BCC7C106CDF4E64114DF462BD94EA2A39A5F62965E644BC11E2FA1AB3FED0DFB789895E218C3CA1FF423368442DACDFE0A896D14755AE7ECDFC90E2DB46ABD0E7BF29339F2942FEC70C0BA3BEED724E989625F90E73BC638469F166DB0056CD4DB777B7705E49F6D66F22269D14CC2F1A4C5685DAD7E3658B87A85988D5D1DC326A2984888ED3B80AC5C','',X'','email,openid,profile,r_organization_social,rw_organization_admin,w_member_social,w_organization_social',1800577288248659,1826929288248659,1,0,'',1795393288288323,1795393288288323,0);
INSERT INTO "accounts" VALUES('01a205c7-7955-700f-aa42-b30e49ee447c','01a205c7-744e-7990-a18c-43b1b452e4a9',1,'user-1','conn_39502e228e9cf2b384c00149a43340c0','17841405822304914','harbour.bakery','Harbour Bakery','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/h','business','active',X'01441EDC56BA20841F165F4CD4C07CDC77C0ED98EF85FC9132702F909461E8AE7649CF00FA244FA471084657520F009C8EE8E46F7AEE9ABDCF58988E727FE77EE7EA9DA72716831974E3FE4255E96F5F692078FDBAD2FD5FCE8E04EDD9B7AF042DD6C9DC9CA3DB8F0ADC2C67E01A65E7667D1A17B3BEB28E39671FA562E8920483E79D191D3378B7D8B1D010E4E61A79B6DF935D8651EFD3C5B5F406CFFAD0B9282B1DCC31262343D9E0D5C6B70AC7BDE7FA40E4DF1FC7F658EF9C7D468196740C585A2AC2827569B4C23FE90D15E81B87A5D40A577794A6FC096173AA9D24465544D109C01F5D28163F14B61C1B',X'','{"user_id":"10229384756102938","page_id":"105312345678901234","data_access_expires_at":"2027-02-21T00:21:28Z","publishing_quota":{"used":0,"total":100,"asked_at":"2026-11-23T00:21:32.246047Z"}}',X'01441EDC56A5F6F52A2C9A15E1B1CDAFE7C1A3209F725FDC21E96E4E338AAEF13FFC6D8C24D5ABF02002796D221449A59E497E4DCD00CF9F8C522D6CE71E39BE06E9FB9126991A710E490B1367BBF3D1070AD70583F77040ADBA1AE2BCCB6B110CB073F2D8BA27A5FC08F69E9A786442D5BCCE30AB74BD34E7A63035973E0A3E61AE683EC192707DA4C80B7981D7EB2E38DC43ADB3323AB13E2ACB5744B1D5E781AB0169BD49B23DFB18E43B90F4C4E4A6A999F04AF84D7E37DA01804BC5FD57BFF7F38A8BD9CD0165F0312044A9DF0C9C76D43416904A1F927B26010FBC10FFE88B8D32','public_profile,instagram_basic,instagram_content_publish,instagram_manage_comments,pages_show_list,pages_read_engagement,business_management',0,0,1,0,'',1795393288533610,1795393292246047,0);
INSERT INTO "accounts" VALUES('01a205c7-7955-7238-a489-97140f683ce0','01a205c7-744e-7990-a18c-43b1b452e4a9',1,'user-1','conn_39502e228e9cf2b384c00149a43340c0','17841409876543210','lighthouse.books','lighthouse.books','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/l','business','active',X'01441EDC56F5D167B620A418306CCADC4F0C08DFC67CE42DC85B619FE060BFB7EC548A265ADECAD1EAF18F9A7673FAFCB300F49CC3EE45BB90EED6D39EAAECC9B1F5BAC8F39B4F71DA702BFA679A13BEDB6D1F1EE17315F4BB6633A732D5A651909C9A10AEAE648FE1357DA9563AC4F1EDD7E3DAEDCBCB3EE908F19E15323D731EF6FABE5631861B2B2547C43E044ECC9398C75A0617534F74B3FFEA51FA23A103507E6D83A55120B65DA107D61AD3921E02CCBFAEEB6B3941ABE7343158A7F8F6A6598B29E15A0BD9E82B58199E3AF1BC68ED779CBCD6608CE53BB6E7BD1D86ADF9DEC7D121D96BE2CC42013EF9',X'','{"user_id":"10229384756102938","page_id":"107398765432109876","data_access_expires_at":"2027-02-21T00:21:28Z"}',X'01441EDC56E148BE13741F6F2CBF39B7E3564881ED0A27BBA6A0417CC47FB15CE58507EB0A169E2210091FAE0AC0655372DC629526F1416AAC4FDA0437EBB78F92511538DC22B1D4F2EF0805F7520EE6A45F5E46587397EEB5D465908FACB11C0DA669939AADC227757326861CC14D51C38F0E3C6BB2855D03BC5BBD226364CC5075893FBCF6C65B0A405E73C8B69E84553948223BFB3AA1629EC670DA6919AAF009B9118872CCF37C17600155708D086FFBBF24BDC462AA2886F2AC030FF4C59A3E1A33F3B3716EEAB1E2AF9B7030094961EC10CE7014DA7E9BB0DD2528D376D99A01AF','public_profile,instagram_basic,instagram_content_publish,instagram_manage_comments,pages_show_list,pages_read_engagement,business_management',0,0,1,0,'',1795393288533610,1795393288533610,0);
CREATE TABLE admins (
	id TEXT NOT NULL PRIMARY KEY,
	email TEXT NOT NULL UNIQUE,
	password_hash TEXT NOT NULL,
	created_at_us BIGINT NOT NULL
);
INSERT INTO "admins" VALUES('01a205c7-744e-7811-b0c4-cf1bdc7f8d05','owner@old.example','',1795393287246200);
CREATE TABLE alarms (
	name TEXT NOT NULL PRIMARY KEY,
	message TEXT NOT NULL,
	first_at_us BIGINT NOT NULL,
	last_at_us BIGINT NOT NULL,
	times BIGINT NOT NULL
);
CREATE TABLE app_tokens (
	app_id TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
	token_hash TEXT NOT NULL UNIQUE,
	expires_at_us BIGINT NOT NULL,
	issued_at_us BIGINT NOT NULL
);
INSERT INTO "app_tokens" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9','4a19ff082f68c830785b420eebeb77241c0ee07a785240ecacc990dacdd37a90',1826929287711981,1795393287711981);
CREATE TABLE app_work (
	app_id TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
	is_paused BIGINT NOT NULL CHECK (is_paused IN (0, 1)),
	next_due_us BIGINT NOT NULL,
	scheduled_count BIGINT NOT NULL CHECK (scheduled_count >= 0),
	last_ordinal BIGINT NOT NULL,
	last_created_at_us BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO "app_work" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',0,1795393297369776,3,9,1795393292233735);
CREATE TABLE apps (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	client_id TEXT NOT NULL UNIQUE,
	client_secret_hash TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('draft', 'active', 'suspended')),
	owner_id TEXT NOT NULL,
	redirect_urls TEXT NOT NULL,
	retry_unknown_once BIGINT NOT NULL CHECK (retry_unknown_once IN (0, 1)),
	connect_confirmation BIGINT NOT NULL CHECK (connect_confirmation IN (0, 1)),
	created_at_us BIGINT NOT NULL
);
INSERT INTO "apps" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9','Old app','phc_QTRCwlNXIK0dGdp6Xuyx9hgj','a85e32479c2b994d5810c77d4417bcd799c82ed31e3582a3437f66ce539a01c2','active','01a205c7-744e-7811-b0c4-cf1bdc7f8d05','',0,0,1795393287246200);
CREATE TABLE connection_accounts (
	connection_id TEXT NOT NULL REFERENCES connections (id),
	ordinal BIGINT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	PRIMARY KEY (connection_id, ordinal)
) WITHOUT ROWID;
INSERT INTO "connection_accounts" VALUES('conn_1b0368a1d593bf85ce3b8c3641b810ed',0,'01a205c7-7667-7d24-a4ce-312b6b6fb287');
INSERT INTO "connection_accounts" VALUES('conn_39502e228e9cf2b384c00149a43340c0',0,'01a205c7-7955-700f-aa42-b30e49ee447c');
INSERT INTO "connection_accounts" VALUES('conn_39502e228e9cf2b384c00149a43340c0',1,'01a205c7-7955-7238-a489-97140f683ce0');
INSERT INTO "connection_accounts" VALUES('conn_94a60f13be5c2781399395075b0b86bd',0,'01a205c7-77c9-751a-bf64-d95538c6f777');
INSERT INTO "connection_accounts" VALUES('conn_94a60f13be5c2781399395075b0b86bd',1,'01a205c7-77c9-7e07-9de6-bab33f579a1d');
INSERT INTO "connection_accounts" VALUES('conn_b91ebbe76f1986c568e0ea3c1c7bf8b4',0,'01a205c7-7860-7f02-b52f-c280f41d7ff9');
INSERT INTO "connection_accounts" VALUES('conn_b91ebbe76f1986c568e0ea3c1c7bf8b4',1,'01a205c7-7860-78fc-95f4-71a2ee3c139e');
CREATE TABLE connections (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	redirect_url TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	state_hash TEXT NOT NULL,
	callback_url TEXT NOT NULL,
	pkce_sealed BLOB NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'success', 'failed')),
	error TEXT NOT NULL,
	error_description TEXT NOT NULL,
	code_sealed BLOB NOT NULL,
	flow TEXT NOT NULL,
	flow_sealed BLOB NOT NULL,
	created_at_us BIGINT NOT NULL,
	finished_at_us BIGINT NOT NULL
, confirm_hash TEXT NOT NULL DEFAULT '');
INSERT INTO "connections" VALUES('conn_1b0368a1d593bf85ce3b8c3641b810ed','01a205c7-744e-7990-a18c-43b1b452e4a9',3,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/x/callback',X'','success','','',X'','',X'',1795393287738894,1795393287783953,'');
INSERT INTO "connections" VALUES('conn_94a60f13be5c2781399395075b0b86bd','01a205c7-744e-7990-a18c-43b1b452e4a9',2,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/facebook/callback',X'','success','','',X'','',X'',1795393287830253,1795393288137766,'');
INSERT INTO "connections" VALUES('conn_b91ebbe76f1986c568e0ea3c1c7bf8b4','01a205c7-744e-7990-a18c-43b1b452e4a9',4,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/linkedin/callback',X'','success','','',X'','',X'',1795393288234325,1795393288288323,'');
INSERT INTO "connections" VALUES('conn_39502e228e9cf2b384c00149a43340c0','01a205c7-744e-7990-a18c-43b1b452e4a9',1,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/instagram/callback',X'','success','','',X'','',X'',1795393288301793,1795393288533610,'');
CREATE TABLE counters (
	app_id TEXT NOT NULL,
	scale BIGINT NOT NULL,
	status TEXT NOT NULL,
	bucket BIGINT NOT NULL,
	count BIGINT NOT NULL CHECK (count >= 0),
	PRIMARY KEY (app_id, scale, status, bucket)
) WITHOUT ROWID;
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',0,'failed',20780,3);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',0,'pending',20780,3);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',0,'published',20780,1);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',0,'scheduled',20780,2);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',1,'failed',0,3);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',1,'pending',0,3);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',1,'published',0,1);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',1,'scheduled',0,2);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',2,'failed',0,3);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',2,'pending',0,3);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',2,'published',0,1);
INSERT INTO "counters" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',2,'scheduled',0,2);
CREATE TABLE dashboard_sessions (
	token_hash TEXT NOT NULL PRIMARY KEY,
	admin_id TEXT NOT NULL,
	is_secure BIGINT NOT NULL CHECK (is_secure IN (0, 1)),
	address TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	last_seen_us BIGINT NOT NULL
);
CREATE TABLE deliveries (
	id TEXT NOT NULL PRIMARY KEY,
	post_id TEXT NOT NULL REFERENCES posts (id),
	post_ordinal BIGINT NOT NULL,
	ordinal BIGINT NOT NULL,
	app_id TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	platform BIGINT NOT NULL,
	state TEXT NOT NULL CHECK (state IN
		('pending', 'scheduled', 'processing', 'retrying', 'published', 'failed')),
	is_final BIGINT NOT NULL CHECK (is_final IN (0, 1)),
	due_at_us BIGINT NOT NULL,
	lease_until_us BIGINT NOT NULL,
	fence BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	flow TEXT NOT NULL,
	flow_sealed BLOB NOT NULL,
	call_state BIGINT NOT NULL,
	call_started_at_us BIGINT NOT NULL,
	looks BIGINT NOT NULL,
	republished BIGINT NOT NULL,
	remote_id TEXT NOT NULL,
	url TEXT NOT NULL,
	published_at_us BIGINT NOT NULL,
	error_code TEXT NOT NULL,
	error_message TEXT NOT NULL,
	platform_code TEXT NOT NULL,
	platform_message TEXT NOT NULL,
	error_is_transient BIGINT NOT NULL,
	parts TEXT NOT NULL,
	UNIQUE (post_id, account_id)
);
INSERT INTO "deliveries" VALUES('01a205c7-7967-7342-9dba-e3d74dbb82bd','01a205c7-7967-79c1-8680-c33285057b6e',1,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-7667-7d24-a4ce-312b6b6fb287',3,'published',1,1795393288551624,0,1,1,'{"version":1,"stage":"start","probe":"","parts":[{"done":true,"id":"2124659562794452217","url":"https://x.com/jodoe/status/2124659562794452217"}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693045"}}',X'',0,1795393288569354,0,0,'2124659562794452217','https://x.com/jodoe/status/2124659562794452217',1795393288694048,'','','','',0,'[{"state":"published","remote_id":"2124659562794452217","url":"https://x.com/jodoe/status/2124659562794452217"}]');
INSERT INTO "deliveries" VALUES('01a205c7-7967-7fa4-a42d-775a5261eeb5','01a205c7-7967-79c1-8680-c33285057b6e',1,1,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-77c9-751a-bf64-d95538c6f777',2,'published',1,1795393288551624,0,1,1,'{"version":1,"stage":"start","probe":"","parts":[{"done":true,"id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759"}],"vars":{"delivery.clock_ahead_us":"1795387075693035"}}',X'',0,1795393288569314,0,0,'105312345678901234_126996898158355759','http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759',1795393288606092,'','','','',0,'[{"state":"published","remote_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759"}]');
INSERT INTO "deliveries" VALUES('01a205c7-7a2d-7760-8523-e1595cf95c0d','01a205c7-7a2d-7eba-a1a7-30776927ef79',2,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-7667-7d24-a4ce-312b6b6fb287',3,'failed',1,1795393288749613,0,1,1,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693039"}}',X'01441EDC5695A50E7D598BC83171DBEF09B1718E5A7AC12AEF2E0E42F9246247703E220A9258334EBC4FFA6D00833A',0,0,0,0,'','',0,'DUPLICATE_CONTENT','X says that this was posted already.','','You are not allowed to create a Tweet with duplicate content.',0,'[{"state":"failed","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-7a7c-79e0-b789-7e617840895b','01a205c7-7a7c-78c2-9f3c-fc36d34efa62',3,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-7667-7d24-a4ce-312b6b6fb287',3,'failed',1,1795393291617726,0,7,0,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693041","delivery.doubt_us":"1795393288837363","part0_doubt_us":"1795393286699806"}}',X'01441EDC56D6E2112273987B8BD1F7CDA208CB021BDDCA93D54F943D7F59E0D8DAC1A59A6D7857FF7EAD8E6FBA6BD3',0,1795393288831377,5,0,'','',0,'OUTCOME_UNKNOWN','It cannot be proven whether the post was published; it was not repeated.','','',0,'[{"state":"failed","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-8688-764b-8ad9-a41227de2874','01a205c7-8688-7bd4-bc93-9178bbe7f11c',4,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-7667-7d24-a4ce-312b6b6fb287',3,'scheduled',0,1795393891000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-8688-70ee-b8f2-e493576ca886','01a205c7-8688-7bd4-bc93-9178bbe7f11c',4,1,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-7860-7f02-b52f-c280f41d7ff9',4,'scheduled',0,1795393891000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-86e7-74a6-9301-22864512b632','01a205c7-86e7-7791-bc75-43ebb25048e6',5,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-77c9-751a-bf64-d95538c6f777',2,'scheduled',0,1795394491000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-86ec-7d6f-8944-d1599b0d4543','01a205c7-86ec-7d44-bf93-9337e9177563',6,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-77c9-751a-bf64-d95538c6f777',2,'failed',1,1795395092000000,0,1,0,'',X'',0,0,0,0,'','',0,'CANCELLED','The post was cancelled before it was sent.','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-879c-7df3-880e-e8b796c40360','01a205c7-879c-75da-aa30-7dc75653e291',7,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-7667-7d24-a4ce-312b6b6fb287',3,'processing',0,1795393292188633,1795393412193722,1,0,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693037"}}',X'01441EDC5645D0104A7E4FE92C1A577B5925E2F9B5A08528CB77B347C12BF5CAFD08613D9AB0C062236978F77EFD40',1,1795393292194354,0,0,'','',0,'','','','',0,'[{"state":"pending","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-87bd-7032-b4f9-c91861b2eb90','01a205c7-87bd-79f8-b4ec-2eff4e6a5f94',8,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-7667-7d24-a4ce-312b6b6fb287',3,'pending',0,1795393292221391,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-87c9-7596-8851-b42def033489','01a205c7-87c9-700a-adb7-6c5a706fb9d0',9,0,'01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-7955-700f-aa42-b30e49ee447c',1,'processing',0,1795393297369776,0,2,0,'{"version":1,"stage":"poll","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"container":"17854995273027961","polls":"2","waited_ms":"5000"}}',X'01441EDC56E4995D7B0C49067B0A593715B404C4FC4A530F6F17A29E0E51497080018E6430B696B22DCBF3B72023E1',0,0,0,0,'','',0,'','','','',0,'[{"state":"pending","remote_id":null,"url":null}]');
CREATE TABLE events (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	kind BIGINT NOT NULL,
	subject_id TEXT NOT NULL,
	post_id TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	body TEXT NOT NULL
);
INSERT INTO "events" VALUES(1,'01a205c7-7668-707a-8ced-583c46a3d755','01a205c7-744e-7990-a18c-43b1b452e4a9',3,'conn_1b0368a1d593bf85ce3b8c3641b810ed','',1795393287784131,0,'');
INSERT INTO "events" VALUES(2,'01a205c7-77c9-72a6-b7b0-38e45799d678','01a205c7-744e-7990-a18c-43b1b452e4a9',3,'conn_94a60f13be5c2781399395075b0b86bd','',1795393288137863,0,'');
INSERT INTO "events" VALUES(3,'01a205c7-7860-794e-a953-8cd0c6ec8d02','01a205c7-744e-7990-a18c-43b1b452e4a9',3,'conn_b91ebbe76f1986c568e0ea3c1c7bf8b4','',1795393288288425,0,'');
INSERT INTO "events" VALUES(4,'01a205c7-7955-7101-b902-dcb0739b7bcc','01a205c7-744e-7990-a18c-43b1b452e4a9',3,'conn_39502e228e9cf2b384c00149a43340c0','',1795393288533781,0,'');
INSERT INTO "events" VALUES(5,'01a205c7-799e-755d-9523-f8c9caaeda6e','01a205c7-744e-7990-a18c-43b1b452e4a9',0,'01a205c7-7967-7fa4-a42d-775a5261eeb5','01a205c7-7967-79c1-8680-c33285057b6e',1795393288606339,0,'{"id":"01a205c7-799e-755d-9523-f8c9caaeda6e","event":"post.publish.succeeded","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:28.606339Z","data":{"id":"01a205c7-7967-79c1-8680-c33285057b6e","request_id":"old-published","external_user_id":"user-1","status":"processing","state":"processing","outcome":"partial","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:28.551624Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-7967-7342-9dba-e3d74dbb82bd","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"pending","scheduled_at":null,"platform_post_id":null,"url":null,"error":null,"state":"processing","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"pending","remote_id":null,"url":null}]},{"id":"01a205c7-7967-7fa4-a42d-775a5261eeb5","account_id":"01a205c7-77c9-751a-bf64-d95538c6f777","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759","error":null,"state":"published","published_at":"2026-11-23T00:21:28.606092Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759"}]}],"tags":[],"platform_post":{"id":"01a205c7-7967-7fa4-a42d-775a5261eeb5","account_id":"01a205c7-77c9-751a-bf64-d95538c6f777","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759","error":null,"state":"published","published_at":"2026-11-23T00:21:28.606092Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759"}]}}}');
INSERT INTO "events" VALUES(6,'01a205c7-79f6-7e48-9b21-9fd4ee17b6c9','01a205c7-744e-7990-a18c-43b1b452e4a9',0,'01a205c7-7967-7342-9dba-e3d74dbb82bd','01a205c7-7967-79c1-8680-c33285057b6e',1795393288694127,0,'{"id":"01a205c7-79f6-7e48-9b21-9fd4ee17b6c9","event":"post.publish.succeeded","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:28.694127Z","data":{"id":"01a205c7-7967-79c1-8680-c33285057b6e","request_id":"old-published","external_user_id":"user-1","status":"published","state":"published","outcome":"all","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:28.551624Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-7967-7342-9dba-e3d74dbb82bd","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659562794452217","url":"https://x.com/jodoe/status/2124659562794452217","error":null,"state":"published","published_at":"2026-11-23T00:21:28.694048Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659562794452217","url":"https://x.com/jodoe/status/2124659562794452217"}]},{"id":"01a205c7-7967-7fa4-a42d-775a5261eeb5","account_id":"01a205c7-77c9-751a-bf64-d95538c6f777","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759","error":null,"state":"published","published_at":"2026-11-23T00:21:28.606092Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759"}]}],"tags":[],"platform_post":{"id":"01a205c7-7967-7342-9dba-e3d74dbb82bd","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659562794452217","url":"https://x.com/jodoe/status/2124659562794452217","error":null,"state":"published","published_at":"2026-11-23T00:21:28.694048Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659562794452217","url":"https://x.com/jodoe/status/2124659562794452217"}]}}}');
INSERT INTO "events" VALUES(7,'01a205c7-79f6-71cf-b65a-0e80c824471e','01a205c7-744e-7990-a18c-43b1b452e4a9',2,'01a205c7-7967-79c1-8680-c33285057b6e','01a205c7-7967-79c1-8680-c33285057b6e',1795393288694212,0,'{"id":"01a205c7-79f6-71cf-b65a-0e80c824471e","event":"post.completed","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:28.694212Z","data":{"id":"01a205c7-7967-79c1-8680-c33285057b6e","request_id":"old-published","external_user_id":"user-1","status":"published","state":"published","outcome":"all","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:28.551624Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-7967-7342-9dba-e3d74dbb82bd","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659562794452217","url":"https://x.com/jodoe/status/2124659562794452217","error":null,"state":"published","published_at":"2026-11-23T00:21:28.694048Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659562794452217","url":"https://x.com/jodoe/status/2124659562794452217"}]},{"id":"01a205c7-7967-7fa4-a42d-775a5261eeb5","account_id":"01a205c7-77c9-751a-bf64-d95538c6f777","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759","error":null,"state":"published","published_at":"2026-11-23T00:21:28.606092Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_126996898158355759","url":"http://sandbox.example/www.facebook.com/105312345678901234_126996898158355759"}]}],"tags":[]}}');
INSERT INTO "events" VALUES(8,'01a205c7-7a41-7ac9-be85-fe9815729b8a','01a205c7-744e-7990-a18c-43b1b452e4a9',1,'01a205c7-7a2d-7760-8523-e1595cf95c0d','01a205c7-7a2d-7eba-a1a7-30776927ef79',1795393288769366,0,'{"id":"01a205c7-7a41-7ac9-be85-fe9815729b8a","event":"post.publish.failed","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:28.769366Z","data":{"id":"01a205c7-7a2d-7eba-a1a7-30776927ef79","request_id":"old-failed","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:28.749613Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-7a2d-7760-8523-e1595cf95c0d","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[],"platform_post":{"id":"01a205c7-7a2d-7760-8523-e1595cf95c0d","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}}}');
INSERT INTO "events" VALUES(9,'01a205c7-7a41-7855-ace9-a8e4316a3c78','01a205c7-744e-7990-a18c-43b1b452e4a9',2,'01a205c7-7a2d-7eba-a1a7-30776927ef79','01a205c7-7a2d-7eba-a1a7-30776927ef79',1795393288769419,0,'{"id":"01a205c7-7a41-7855-ace9-a8e4316a3c78","event":"post.completed","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:28.769419Z","data":{"id":"01a205c7-7a2d-7eba-a1a7-30776927ef79","request_id":"old-failed","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:28.749613Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-7a2d-7760-8523-e1595cf95c0d","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[]}}');
INSERT INTO "events" VALUES(10,'01a205c7-8591-7d60-95a9-cc465b87964a','01a205c7-744e-7990-a18c-43b1b452e4a9',1,'01a205c7-7a7c-79e0-b789-7e617840895b','01a205c7-7a7c-78c2-9f3c-fc36d34efa62',1795393291665425,0,'{"id":"01a205c7-8591-7d60-95a9-cc465b87964a","event":"post.publish.failed","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:31.665425Z","data":{"id":"01a205c7-7a7c-78c2-9f3c-fc36d34efa62","request_id":"old-unknown","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:28.828936Z","containers":[{"content":"old unknown","media":[]}],"platform_posts":[{"id":"01a205c7-7a7c-79e0-b789-7e617840895b","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[],"platform_post":{"id":"01a205c7-7a7c-79e0-b789-7e617840895b","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}}}');
INSERT INTO "events" VALUES(11,'01a205c7-8591-7ebc-9f42-2359929f163c','01a205c7-744e-7990-a18c-43b1b452e4a9',2,'01a205c7-7a7c-78c2-9f3c-fc36d34efa62','01a205c7-7a7c-78c2-9f3c-fc36d34efa62',1795393291665476,0,'{"id":"01a205c7-8591-7ebc-9f42-2359929f163c","event":"post.completed","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:31.665476Z","data":{"id":"01a205c7-7a7c-78c2-9f3c-fc36d34efa62","request_id":"old-unknown","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:28.828936Z","containers":[{"content":"old unknown","media":[]}],"platform_posts":[{"id":"01a205c7-7a7c-79e0-b789-7e617840895b","account_id":"01a205c7-7667-7d24-a4ce-312b6b6fb287","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[]}}');
INSERT INTO "events" VALUES(12,'01a205c7-86fc-7239-b513-3ea434ca7e07','01a205c7-744e-7990-a18c-43b1b452e4a9',1,'01a205c7-86ec-7d6f-8944-d1599b0d4543','01a205c7-86ec-7d44-bf93-9337e9177563',1795393292028664,0,'{"id":"01a205c7-86fc-7239-b513-3ea434ca7e07","event":"post.publish.failed","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:32.028664Z","data":{"id":"01a205c7-86ec-7d44-bf93-9337e9177563","request_id":"old-scheduled-2","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":"2026-11-23T00:51:32Z","created_at":"2026-11-23T00:21:32.012676Z","containers":[{"content":"old scheduled 2","media":[]}],"platform_posts":[{"id":"01a205c7-86ec-7d6f-8944-d1599b0d4543","account_id":"01a205c7-77c9-751a-bf64-d95538c6f777","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:32Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}],"tags":[],"platform_post":{"id":"01a205c7-86ec-7d6f-8944-d1599b0d4543","account_id":"01a205c7-77c9-751a-bf64-d95538c6f777","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:32Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}}}');
INSERT INTO "events" VALUES(13,'01a205c7-86fc-7202-b256-08fe845c4d16','01a205c7-744e-7990-a18c-43b1b452e4a9',2,'01a205c7-86ec-7d44-bf93-9337e9177563','01a205c7-86ec-7d44-bf93-9337e9177563',1795393292028852,0,'{"id":"01a205c7-86fc-7202-b256-08fe845c4d16","event":"post.completed","app_id":"01a205c7-744e-7990-a18c-43b1b452e4a9","timestamp":"2026-11-23T00:21:32.028852Z","data":{"id":"01a205c7-86ec-7d44-bf93-9337e9177563","request_id":"old-scheduled-2","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":"2026-11-23T00:51:32Z","created_at":"2026-11-23T00:21:32.012676Z","containers":[{"content":"old scheduled 2","media":[]}],"platform_posts":[{"id":"01a205c7-86ec-7d6f-8944-d1599b0d4543","account_id":"01a205c7-77c9-751a-bf64-d95538c6f777","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:32Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}],"tags":[]}}');
CREATE TABLE evidence (
	delivery_id TEXT NOT NULL REFERENCES deliveries (id),
	ordinal BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	fence BIGINT NOT NULL,
	remote_id TEXT NOT NULL,
	url TEXT NOT NULL,
	parts TEXT NOT NULL,
	PRIMARY KEY (delivery_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE holds (
	delivery_id TEXT NOT NULL PRIMARY KEY REFERENCES deliveries (id),
	platform BIGINT NOT NULL,
	state BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE lanes (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
	app_id TEXT NOT NULL,
	busy_delivery_id TEXT NOT NULL,
	next_due_us BIGINT NOT NULL
, platform_mask BIGINT NOT NULL DEFAULT 0) WITHOUT ROWID;
INSERT INTO "lanes" VALUES('01a205c7-7667-7d24-a4ce-312b6b6fb287','01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-879c-7df3-880e-e8b796c40360',1795393412193722,8);
INSERT INTO "lanes" VALUES('01a205c7-77c9-751a-bf64-d95538c6f777','01a205c7-744e-7990-a18c-43b1b452e4a9','',1795394491000000,4);
INSERT INTO "lanes" VALUES('01a205c7-7860-7f02-b52f-c280f41d7ff9','01a205c7-744e-7990-a18c-43b1b452e4a9','',1795393891000000,16);
INSERT INTO "lanes" VALUES('01a205c7-7955-700f-aa42-b30e49ee447c','01a205c7-744e-7990-a18c-43b1b452e4a9','01a205c7-87c9-7596-8851-b42def033489',1795393297369776,2);
CREATE TABLE meta (
	name TEXT NOT NULL PRIMARY KEY,
	number BIGINT NOT NULL
);
INSERT INTO "meta" VALUES('epoch_number',3);
INSERT INTO "meta" VALUES('epoch_at_us',1795393291822922);
INSERT INTO "meta" VALUES('epoch_lineage',5604406449820731844);
CREATE TABLE platform_credentials (
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	client_id TEXT NOT NULL,
	client_secret_sealed BLOB NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'verified', 'failed')),
	message TEXT NOT NULL,
	verified_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL, scopes TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (app_id, platform)
);
INSERT INTO "platform_credentials" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',3,'sandbox-x',X'01441EDC56CEBF0FDEC7921EDE4BA3FD60B319A0C4EC11D6FBEA2DA0BF4D56ADEFDFA3639A050D6499BC3512527CF949F5F60B0D8ACE15EB1655B78764','verified','',1795393287331551,1795393287331551,'');
INSERT INTO "platform_credentials" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',2,'sandbox-facebook',X'01441EDC564B58306A0EA6DDBE7792A70370E7551AA98C99373CF37BCEA41190F9B4298D95FFDE20053A65F53CBE7CB31603B7E95A0E10B5A60D3981ADEAE8CE13B1AE8F','verified','',1795393287364364,1795393287364364,'');
INSERT INTO "platform_credentials" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',4,'sandbox-linkedin',X'01441EDC56DF20A918F8D6BF644AE3E8B9A93307F12809046564593EAD802CEF02D07E0EC7001C78549EC7BF17D8C5ECC144C742F237C3480E303D4D129F9F075A29A75F','verified','',1795393287507511,1795393287507511,'');
INSERT INTO "platform_credentials" VALUES('01a205c7-744e-7990-a18c-43b1b452e4a9',1,'sandbox-instagram',X'01441EDC5619BF08425A27294ACB76B3BE9766CB12AC4BC761291CB154F695EF4D212EEE0FC58C94065EA5A7051363AC32600915B29BE48D15897A7BE02850FEA9C7048000','verified','',1795393287622894,1795393287622894,'');
CREATE TABLE posts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	ordinal BIGINT NOT NULL,
	request_id TEXT NOT NULL,
	external_user_id TEXT NOT NULL,
	state TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'scheduled', 'published', 'failed')),
	mode BIGINT NOT NULL,
	platform_mask BIGINT NOT NULL,
	scheduled_at_us BIGINT NOT NULL,
	created_at_us BIGINT NOT NULL,
	date_us BIGINT NOT NULL,
	content TEXT NOT NULL,
	UNIQUE (app_id, request_id)
);
INSERT INTO "posts" VALUES('01a205c7-7967-79c1-8680-c33285057b6e','01a205c7-744e-7990-a18c-43b1b452e4a9',1,'old-published','user-1','published','published',0,12,0,1795393288551624,1795393288551624,'{"mode":"basic","containers":[{"content":"old published on two","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-7a2d-7eba-a1a7-30776927ef79','01a205c7-744e-7990-a18c-43b1b452e4a9',2,'old-failed','user-1','failed','failed',0,8,0,1795393288749613,1795393288749613,'{"mode":"basic","containers":[{"content":"old published on two","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-7a7c-78c2-9f3c-fc36d34efa62','01a205c7-744e-7990-a18c-43b1b452e4a9',3,'old-unknown','user-1','failed','failed',0,8,0,1795393288828936,1795393288828936,'{"mode":"basic","containers":[{"content":"old unknown","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-8688-7bd4-bc93-9178bbe7f11c','01a205c7-744e-7990-a18c-43b1b452e4a9',4,'old-scheduled-0','user-1','scheduled','scheduled',0,24,1795393891000000,1795393291912175,1795393891000000,'{"mode":"basic","containers":[{"content":"old scheduled 0","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-86e7-7791-bc75-43ebb25048e6','01a205c7-744e-7990-a18c-43b1b452e4a9',5,'old-scheduled-1','user-1','scheduled','scheduled',0,4,1795394491000000,1795393292007127,1795394491000000,'{"mode":"basic","containers":[{"content":"old scheduled 1","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-86ec-7d44-bf93-9337e9177563','01a205c7-744e-7990-a18c-43b1b452e4a9',6,'old-scheduled-2','user-1','failed','failed',0,4,1795395092000000,1795393292012676,1795395092000000,'{"mode":"basic","containers":[{"content":"old scheduled 2","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-879c-75da-aa30-7dc75653e291','01a205c7-744e-7990-a18c-43b1b452e4a9',7,'old-in-flight','user-1','processing','pending',0,8,0,1795393292188633,1795393292188633,'{"mode":"basic","containers":[{"content":"old in flight","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-87bd-79f8-b4ec-2eff4e6a5f94','01a205c7-744e-7990-a18c-43b1b452e4a9',8,'old-queued','user-1','pending','pending',0,8,0,1795393292221391,1795393292221391,'{"mode":"basic","containers":[{"content":"old queued behind it","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-87c9-700a-adb7-6c5a706fb9d0','01a205c7-744e-7990-a18c-43b1b452e4a9',9,'old-waiting','user-1','processing','pending',0,2,0,1795393292233735,1795393292233735,'{"mode":"basic","containers":[{"content":"old waiting","media":[{"url":"http://media.example/2e0cb2938f804e9db031b4f3e0351e84/picture.jpg","type":"image"}]}]}');
CREATE TABLE remote_ids (
	account_id TEXT NOT NULL,
	remote_id TEXT NOT NULL,
	delivery_id TEXT NOT NULL,
	PRIMARY KEY (account_id, remote_id, delivery_id)
) WITHOUT ROWID;
INSERT INTO "remote_ids" VALUES('01a205c7-7667-7d24-a4ce-312b6b6fb287','2124659562794452217','01a205c7-7967-7342-9dba-e3d74dbb82bd');
INSERT INTO "remote_ids" VALUES('01a205c7-77c9-751a-bf64-d95538c6f777','105312345678901234_126996898158355759','01a205c7-7967-7fa4-a42d-775a5261eeb5');
CREATE TABLE schema_migrations (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES(1,'start');
INSERT INTO "schema_migrations" VALUES(2,'guard');
INSERT INTO "schema_migrations" VALUES(3,'lane_platform');
INSERT INTO "schema_migrations" VALUES(4,'events');
INSERT INTO "schema_migrations" VALUES(5,'confirmation');
INSERT INTO "schema_migrations" VALUES(6,'credential_scopes');
INSERT INTO "schema_migrations" VALUES(7,'sessions');
CREATE TABLE timeline (
	delivery_id TEXT NOT NULL REFERENCES deliveries (id),
	ordinal BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	stage TEXT NOT NULL,
	method TEXT NOT NULL,
	host_path TEXT NOT NULL,
	status BIGINT NOT NULL,
	duration_us BIGINT NOT NULL,
	verdict TEXT NOT NULL,
	decision TEXT NOT NULL,
	excerpt TEXT NOT NULL,
	PRIMARY KEY (delivery_id, ordinal)
) WITHOUT ROWID;
INSERT INTO "timeline" VALUES('01a205c7-7967-7342-9dba-e3d74dbb82bd',1,1795393288581253,'create','POST','api.x.com/2/tweets',201,112793,'done','','');
INSERT INTO "timeline" VALUES('01a205c7-7967-7fa4-a42d-775a5261eeb5',1,1795393288581197,'feed','POST','graph.facebook.com/v25.0/105312345678901234/feed',200,24894,'done','','');
INSERT INTO "timeline" VALUES('01a205c7-7a2d-7760-8523-e1595cf95c0d',1,1795393288761611,'create','POST','api.x.com/2/tweets',403,7636,'refused','failed: DUPLICATE_CONTENT','{"title":"Forbidden","detail":"You are not allowed to create a Tweet with duplicate content.","type":"about:blank","status":403}');
INSERT INTO "timeline" VALUES('01a205c7-7a7c-79e0-b789-7e617840895b',1,1795393288835556,'create','POST','api.x.com/2/tweets',500,1809,'in_doubt','ask the platform what became of it','');
INSERT INTO "timeline" VALUES('01a205c7-7a7c-79e0-b789-7e617840895b',2,1795393288873169,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,409,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-7a7c-79e0-b789-7e617840895b',3,1795393288904484,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,413,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-7a7c-79e0-b789-7e617840895b',4,1795393289006315,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,421,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-7a7c-79e0-b789-7e617840895b',5,1795393289531650,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,86074,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-7a7c-79e0-b789-7e617840895b',6,1795393291663601,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,1731,'ok','failed: OUTCOME_UNKNOWN','');
INSERT INTO "timeline" VALUES('01a205c7-87c9-7596-8851-b42def033489',1,1795393292244959,'quota','GET','graph.facebook.com/v25.0/17841405822304914/content_publishing_limit',200,1087,'ok','','');
INSERT INTO "timeline" VALUES('01a205c7-87c9-7596-8851-b42def033489',2,1795393292324658,'container','POST','graph.facebook.com/v25.0/17841405822304914/media',200,37270,'ok','wait','');
INSERT INTO "timeline" VALUES('01a205c7-87c9-7596-8851-b42def033489',3,1795393294369319,'poll','GET','graph.facebook.com/v25.0/17854995273027961',200,456,'ok','wait','');
CREATE TABLE webhook_deliveries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	webhook_id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	event_seq BIGINT NOT NULL,
	state BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	is_leased BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	log TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	UNIQUE (webhook_id, event_seq)
);
INSERT INTO "webhook_deliveries" VALUES(1,'01a205c7-795e-77b8-a030-b280af6490f3','01a205c7-744e-7990-a18c-43b1b452e4a9',7,0,1795393295833858,0,3,'[{"at":"2026-11-23T00:21:28.697364Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:28.825856Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:29.833858Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393288695278);
INSERT INTO "webhook_deliveries" VALUES(2,'01a205c7-795e-77b8-a030-b280af6490f3','01a205c7-744e-7990-a18c-43b1b452e4a9',9,0,1795393295921374,0,3,'[{"at":"2026-11-23T00:21:28.783068Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:28.908346Z","status":null,"duration_ms":3,"error":"no connection could be made"},{"at":"2026-11-23T00:21:29.921374Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393288776331);
INSERT INTO "webhook_deliveries" VALUES(3,'01a205c7-795e-77b8-a030-b280af6490f3','01a205c7-744e-7990-a18c-43b1b452e4a9',11,0,1795393591902258,0,2,'[{"at":"2026-11-23T00:21:31.721682Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:31.902258Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393291711497);
INSERT INTO "webhook_deliveries" VALUES(4,'01a205c7-795e-77b8-a030-b280af6490f3','01a205c7-744e-7990-a18c-43b1b452e4a9',13,0,1795393322050953,0,1,'[{"at":"2026-11-23T00:21:32.050953Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393292042315);
CREATE TABLE webhooks (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	url TEXT NOT NULL,
	event_mask BIGINT NOT NULL,
	is_enabled BIGINT NOT NULL CHECK (is_enabled IN (0, 1)),
	disabled_reason TEXT NOT NULL,
	secret_sealed BLOB NOT NULL,
	old_secret_sealed BLOB NOT NULL,
	old_secret_until_us BIGINT NOT NULL,
	failing_since_us BIGINT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL
);
INSERT INTO "webhooks" VALUES('01a205c7-795e-77b8-a030-b280af6490f3','01a205c7-744e-7990-a18c-43b1b452e4a9','https://127.0.0.1:9/hook',4,1,'',X'01441EDC56A5A097ADCA3F2E803D377773F181179D815D50E0B3FD13C1CD774C882549159572112B012092DAEB68560FCE9F638181AB941C7E0C64C67DE0C402FB2079E29889A0C2853835A29DAE63A9BF3A92B43BB08AF35DC8421D8AA321',X'',0,1795393288697364,1795393288542969,1795393288542969);
CREATE UNIQUE INDEX connections_state_hash ON connections (state_hash) WHERE state_hash <> '';
CREATE INDEX connections_started ON connections (created_at_us)
	WHERE state = 'pending' AND state_hash = '';
CREATE INDEX posts_order ON posts (app_id, status, ordinal, date_us, platform_mask);
CREATE INDEX deliveries_account ON deliveries
	(account_id, is_final, due_at_us, id, post_ordinal);
CREATE INDEX holds_state ON holds (state, platform);
CREATE INDEX lanes_due ON lanes (app_id, next_due_us, platform_mask);
CREATE INDEX events_app ON events (app_id, seq);
CREATE INDEX events_due ON events (due_at_us) WHERE due_at_us > 0;
CREATE INDEX webhooks_app ON webhooks (app_id, created_at_us);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at_us) WHERE due_at_us > 0;
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (due_at_us) WHERE due_at_us > 0;
CREATE INDEX dashboard_sessions_admin ON dashboard_sessions (admin_id, created_at_us);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',13);
INSERT INTO "sqlite_sequence" VALUES('webhook_deliveries',4);
COMMIT;
